/**
 * Overlays: tables that cannot be staged are refused with a reason, overlays of changed tables are rebuilt, and production depends on none.
 */
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { StageError } from '../../src/errors.ts';
import type { OverlayManager } from '../../src/overlay/install/manager.ts';
import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE plain (id int PRIMARY KEY, v text);
CREATE TABLE bare ();
CREATE TABLE guarded (id int PRIMARY KEY);
CREATE RULE quiet AS ON DELETE TO guarded DO INSTEAD NOTHING;
CREATE TABLE ruled (id int PRIMARY KEY);
CREATE RULE quiet AS ON INSERT TO ruled DO INSTEAD NOTHING;
CREATE TABLE heir () INHERITS (plain);
CREATE TABLE hidden (id int PRIMARY KEY, _stage_x int);
CREATE TABLE child (id int PRIMARY KEY, hidden int REFERENCES hidden);
CREATE TABLE root (id int, k int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE leaf PARTITION OF root FOR VALUES IN (1); CREATE RULE quiet AS ON DELETE TO leaf DO INSTEAD NOTHING;
CREATE TABLE reserved (id int PRIMARY KEY, _stage_x int);
CREATE TABLE whole (id int PRIMARY KEY, CHECK (whole IS NOT NULL));
CREATE TABLE part_whole (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part_whole_1 PARTITION OF part_whole (CHECK (part_whole_1 IS NOT NULL)) FOR VALUES FROM (0) TO (9);
CREATE TABLE indexed (id int PRIMARY KEY, a int);
CREATE FUNCTION all_of(indexed) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1::text';
CREATE UNIQUE INDEX ON indexed (all_of(indexed.*));
CREATE TABLE uniquely (a int NOT NULL UNIQUE, b int);
CREATE TABLE parent (id int PRIMARY KEY, code text UNIQUE);
CREATE TABLE kid (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE);
CREATE TABLE grandkid (id int PRIMARY KEY, kid int REFERENCES kid);
`;

const refused: Record<string, RegExp> = {
  bare: /has no columns/,
  wide: /more than 1500 columns/,
  guarded: /has rules/,
  ruled: /has rules/,
  leaf: /"leaf": it has rules/,
  reserved: /_stage_/,
  whole: /a check over the row as a whole/,
  part_whole: /a check over the row as a whole/,
  indexed: /a unique index or an exclusion constraint over the row as a whole/,
  child:
    /"child": a foreign key links it with "hidden", which has a column whose name begins with _stage_/,
};

suite('overlays', (test) => {
  let database: TestDatabase;
  let service: Database;
  let overlays: OverlayManager;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(schema);
    const columns = Array.from({ length: 1501 }, (_, index) => `c${index} bool`);
    await database.query(`CREATE TABLE wide (${columns.join(', ')})`);
    service = createDatabase({ url: database.url });
    await migrate(service);
    overlays = createOverlayManager(service);
  });
  test.after(async () => {
    await service.close();
    await database.drop();
  });

  const oidOf = async (table: string): Promise<number> => {
    const [row] = await database.query<{ oid: number }>(
      `SELECT '${table}'::regclass::oid::int AS oid`,
    );
    return row?.oid ?? 0;
  };
  const installed = async () =>
    (
      await database.query<{ name: string }>(
        `SELECT shown_name || CASE WHEN writable THEN '' ELSE ' (read)' END AS name FROM stage.overlay ORDER BY 1`,
      )
    ).map(({ name }) => name);

  for (const [table, reason] of Object.entries(refused)) {
    test(`${table} is refused, and nothing is left of the attempt`, async () => {
      const before = await installed();
      const error = (await rejects(overlays.ensure([await oidOf(table)]))) as StageError;
      assert.is(error.code, 'statement_not_supported');
      assert.match(error.message, reason);
      assert.equal(await installed(), before);
    });
  }

  test('the hint for a partition names the table at its top', async () => {
    const error = (await rejects(overlays.ensure([await oidOf('leaf')]))) as StageError;
    assert.match(error.hint ?? '', /^Write to "root": /);
  });

  test('a unique index over NOT NULL columns serves as the key', async () => {
    await overlays.ensure([await oidOf('uniquely')]);
    const [row] = await database.query(
      `SELECT key_columns FROM stage.overlay WHERE table_name = 'uniquely'`,
    );
    assert.equal(row, { key_columns: ['a'] });
  });

  test('what a write can reach comes along, as far as it can reach', async () => {
    await overlays.ensure([await oidOf('parent')]);
    const made = (await installed()).filter((name) => /parent|kid/.test(name));
    assert.equal(made, ['grandkid (read)', 'kid', 'parent']);
  });

  test('several managers may make the same overlay at once', async () => {
    const oid = await oidOf('root');
    await Promise.all([1, 2, 3].map(() => createOverlayManager(service).ensure([oid])));
    assert.ok((await installed()).includes('root'));
  });

  test('a changed table is rebuilt, and production can change and go at will', async () => {
    const oid = await oidOf('uniquely');
    await database.query(
      'ALTER TABLE uniquely ADD COLUMN c text DEFAULT 1, ALTER COLUMN b TYPE bigint',
    );
    await overlays.ensure([oid]);
    const [{ namespace }] = (await database.query(
      `SELECT 'public'::regnamespace::oid::int AS namespace`,
    )) as [{ namespace: number }];
    const columns = await database.query<{ column: string }>(
      `SELECT attname || ' ' || format_type(atttypid, NULL) AS column FROM pg_attribute
       WHERE attrelid = 'stage_overlay_${namespace}.uniquely'::regclass ORDER BY attnum`,
    );
    assert.equal(
      columns.map(({ column }) => column),
      ['a integer', 'b bigint', 'c text'],
    );
    await database.query('ALTER TABLE uniquely DROP COLUMN c');
    await database.query('DROP TABLE uniquely');
    assert.is((await database.query(`SELECT to_regclass('uniquely') AS gone`))[0]?.['gone'], null);
  });
});
