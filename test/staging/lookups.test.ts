/** Lookups in an overlay use an index of the shadow table wherever production's use one, and no check uses a wrong one. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE FUNCTION half(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1 / 2';
CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent SELECT generate_series(1, 10);
CREATE TABLE item (id int PRIMARY KEY, code text, name text, tenant int, made timestamptz, gone timestamptz, mood mood, n int,
  ref text UNIQUE DEFERRABLE, a int NOT NULL UNIQUE, b int NOT NULL UNIQUE, parent int REFERENCES parent,
  tag text NOT NULL DEFAULT 'tag');
CREATE INDEX ON item (code);
CREATE INDEX ON item (tag text_pattern_ops);
CREATE INDEX ON item (lower(name));
CREATE INDEX ON item (tenant, made DESC);
CREATE INDEX ON item (n) WHERE gone IS NULL AND mood = 'glad';
CREATE INDEX ON item (half(n));
CREATE INDEX ON item (parent);
CREATE INDEX ON item (id, n);
INSERT INTO item SELECT g, 'c' || g % 100, 'N' || g, g % 5, '2026-01-01'::timestamptz + g * interval '1 s', NULL, 'glad', g % 50, 'r' || g, g, -g, 1 + g % 10, 'tag' || g
  FROM generate_series(1, 1000) g;
CREATE TABLE keyless (v int, w int);
CREATE INDEX ON keyless (v);
INSERT INTO keyless SELECT g, g FROM generate_series(1, 1000) g;
CREATE TABLE root (id int, k int, v int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE leaf PARTITION OF root FOR VALUES IN (1);
CREATE INDEX ON root (v);
INSERT INTO root SELECT g, 1, g FROM generate_series(1, 1000) g;
CREATE TABLE line (tenant int, id int, v int, PRIMARY KEY (tenant, id));
CREATE INDEX ON line (tenant, v);
INSERT INTO line SELECT 1, g, g FROM generate_series(1, 1000) g;
CREATE TABLE heir (v2 int) INHERITS (keyless);
CREATE INDEX ON heir (v);
INSERT INTO heir SELECT g, g, g FROM generate_series(1, 1000) g;
CREATE TABLE wide (id int PRIMARY KEY, parent int REFERENCES parent, t1 text, t2 text, t3 text, t4 text, t5 text, t6 text);
ANALYZE;`;

const writes = [
  'UPDATE item SET gone = NULL, n = n + 1',
  'UPDATE ONLY keyless SET w = -w',
  'UPDATE root SET k = k',
  'UPDATE line SET v = v + 1',
];

/** By query on an overlay, written as %: the conditions of each scan of the shadow table besides the session. */
const lookups: Readonly<Record<string, RegExp>> = {
  'SELECT * FROM %item WHERE id = 7': /id = 7/,
  "SELECT * FROM %item WHERE code = 'c7'": /code = 'c7'/,
  "SELECT * FROM %item WHERE tag LIKE 'tag7%'": /tag ~?>=/,
  "SELECT * FROM %item WHERE lower(name) = 'n7'": /lower\(name\) = 'n7'/,
  'SELECT * FROM %item WHERE tenant = 3 ORDER BY made DESC LIMIT 5': /tenant = 3/,
  "SELECT * FROM %item WHERE tenant = 3 AND made > '2026-01-01 00:15:00+00'":
    /tenant = 3\).*made >/,
  "SELECT * FROM %item WHERE n = 7 AND gone IS NULL AND mood = 'glad'": /n = 7/,
  "SELECT * FROM %item WHERE ref = 'r7'": /ref = 'r7'/,
  'SELECT * FROM %item WHERE a = 7': /a = 7/,
  'SELECT * FROM %item WHERE parent = 7': /parent = 7/,
  'SELECT o.* FROM (VALUES (7), (8)) x(c) CROSS JOIN LATERAL (SELECT * FROM %item i WHERE i.a = x.c OFFSET 0) o':
    /a = "\*VALUES\*"/,
  'SELECT * FROM %keyless WHERE v = 7': /v = 7/,
  'SELECT * FROM %root WHERE v = 7': /v = 7/,
  'SELECT * FROM %line WHERE tenant = 1 AND id = 7': /tenant = 1\).*id = 7/,
  'SELECT * FROM %line WHERE tenant = 1 AND v = 7': /tenant = 1\).*v = 7/,
};

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

suite('lookups in overlays', (test) => {
  let proxied: Proxied;
  let overlays: string;
  test.before(async () => {
    proxied = await startProxied(schema);
    const [row] = await proxied.database.query<{ name: string }>(
      `SELECT 'stage_overlay_' || 'public'::regnamespace::oid || '.' AS name`,
    );
    overlays = row?.name ?? '';
  });
  test.after(() => proxied.stop());

  async function stage(statements: readonly string[]): Promise<string> {
    const session = await proxied.daemon.newSession();
    const client = await proxied.connect(proxied.daemon.clientUrl(session));
    for (const statement of statements) await client.query(statement);
    await client.end();
    return session;
  }

  const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

  /** Returns the scans of the session's staged rows, but not those that find the hidden rows of production. */
  async function shadowScans(session: string, query: string): Promise<PlanNode[]> {
    const client = await proxied.connect(proxied.database.url);
    const id = session.slice('sess_'.length);
    await client.query(`SELECT set_config('stage.session', $1, false)`, [id]);
    const { rows } = await client.query(
      `EXPLAIN (FORMAT json) ${query.replaceAll(/%(?=[a-z])/g, overlays)}`,
    );
    await client.end();
    const nodes = flat(rows[0]['QUERY PLAN'][0].Plan);
    return nodes.filter(
      (node) =>
        (node['Relation Name']?.startsWith('shadow_') ||
          node['Node Type'] === 'Bitmap Index Scan') &&
        node.Alias !== 'h' &&
        node['Node Type'] !== 'Bitmap Heap Scan',
    );
  }

  const assertByIndex = async (session: string, when: string) => {
    for (const [query, condition] of Object.entries(lookups)) {
      const scans = await shadowScans(session, query);
      const own = scans.filter((node) => node['Index Cond']?.includes('_stage_session'));
      assert.ok(own.length > 0, `${when}: ${query}: ${JSON.stringify(scans)}`);
      for (const node of own)
        assert.match(
          node['Index Cond'] ?? '',
          condition,
          `${when}: ${query}: ${node['Index Cond']}`,
        );
    }
  };

  test('go by an index, whatever is staged, by whom, and whatever is known of it', async () => {
    const own = await stage(writes.map((text) => `${text} WHERE false`));
    await assertByIndex(own, 'nothing staged');
    await stage(writes);
    await assertByIndex(own, 'by others');
    const large = await stage(writes);
    await assertByIndex(large, 'by itself');
    for (const { name } of await shadows()) await proxied.database.query(`VACUUM ANALYZE ${name}`);
    await assertByIndex(own, 'by others, analyzed');
    await assertByIndex(large, 'by itself, analyzed');
  });

  const shadows = () =>
    proxied.database.query<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class WHERE relname ~ '^shadow_\\d+$' AND relkind = 'r'`,
    );

  test('of the children of an inheritance tree, too', async () => {
    const session = await stage(['UPDATE keyless SET w = -w WHERE v <= 300']);
    const scans = await shadowScans(
      session,
      `SELECT * FROM ${overlays.replace('overlay', 'tree')}keyless WHERE v = 7`,
    );
    const conditions = scans.map((node) => node['Index Cond'] ?? '');
    assert.is(conditions.filter((text) => /_stage_session.*v = 7/.test(text)).length, 2);
  });

  test('no check of a statement of many rows looks through those before each', async () => {
    const [shadow] = await proxied.database.query<{ name: string }>(
      `SELECT 'stage_data.shadow_' || 'item'::regclass::oid AS name`,
    );
    const read = async () => {
      const [row] = await proxied.database.query<{ read: number }>(
        `SELECT sum(idx_tup_read)::int AS read FROM pg_stat_user_indexes WHERE relid = '${shadow?.name}'::regclass`,
      );
      return row?.read ?? 0;
    };
    for (const isEmpty of [false, true]) {
      if (isEmpty) await proxied.database.query(`TRUNCATE ${shadow?.name}`);
      const before = await read();
      await stage([
        `UPDATE item SET name = 'x'`,
        'UPDATE item SET a = a + 10000, b = b - 10000, parent = 11 - parent',
        'DELETE FROM item',
      ]);
      const rows = (await read()) - before;
      assert.ok(rows < 50 * 1000, `${rows} rows read`);
    }
  });

  test('the check of a statement does not read the rows of the statements before it', async () => {
    const ids = Array.from({ length: 100 }, (_, id) => id);
    await stage(ids.map((id) => `INSERT INTO wide (id, parent) VALUES (${id}, 1)`));
    const [row] = await proxied.database.query<{ read: number }>(
      `SELECT sum(idx_tup_read)::int AS read FROM pg_stat_user_indexes WHERE relname = 'shadow_' || 'wide'::regclass::oid`,
    );
    assert.ok((row?.read ?? 0) < 2000, `${row?.read} rows read`);
  });

  const lookupIndexes = async (table: string) =>
    (
      await proxied.database.query<{ definition: string }>(
        `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index
         WHERE indrelid = ('stage_data.shadow_' || '${table}'::regclass::oid)::regclass AND indexrelid::regclass::text ~ 'lookup_'`,
      )
    )
      .map(({ definition }) => /\(_stage_session, (.*)\) WHERE/.exec(definition)?.[1])
      .sort();

  test('none stands in for an index that another one covers, or holds on to what users have made', async () => {
    assert.equal(await lookupIndexes('line'), ['tenant, v']);
    assert.equal(await lookupIndexes('item'), [
      'code',
      'id, n',
      'lower(name)',
      'n',
      'ref',
      'tag text_pattern_ops',
      'tenant, made DESC',
    ]);
    await proxied.database.query('DROP INDEX item_half_idx; DROP FUNCTION half');
  });

  test('an index that production gets is had with the next write, unless others are writing', async () => {
    const written = async () =>
      proxied.database.query(`SELECT installed_at FROM stage.overlay WHERE table_name = 'line'`);
    const before = await written();
    // autovacuum would be one of the others
    await proxied.database.query(
      `DO $$ BEGIN EXECUTE format('ALTER TABLE stage_data.shadow_%s SET (autovacuum_enabled = off)', 'line'::regclass::oid); END $$`,
    );
    const other = await proxied.connect(
      proxied.daemon.clientUrl(await proxied.daemon.newSession()),
    );
    await other.query('BEGIN');
    await other.query('UPDATE line SET v = v WHERE id = 1');
    await proxied.database.query('CREATE INDEX ON line (v)');
    await stage(['UPDATE line SET v = v WHERE id = 2']);
    assert.equal(await lookupIndexes('line'), ['tenant, v']);
    await other.query('COMMIT');
    await proxied.database.query('REINDEX INDEX CONCURRENTLY line_v_idx');
    await stage(['UPDATE line SET v = v WHERE id = 3']);
    await proxied.database.query('REINDEX INDEX CONCURRENTLY line_v_idx');
    await stage(['UPDATE line SET v = v WHERE id = 3']);
    assert.equal(await lookupIndexes('line'), ['tenant, v', 'v']);
    assert.equal(await written(), before);
  });
});
