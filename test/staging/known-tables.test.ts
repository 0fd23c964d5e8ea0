/** An overlay manager reads the definition of a table again only when it may have changed. */
import type { Database, Queryable } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('known tables', (test) => {
  let database: TestDatabase;
  let service: Database;
  /** The OIDs of the tables whose definitions were read. */
  let read: string[] = [];

  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    await database.query(`CREATE TABLE parent (id int PRIMARY KEY, v int);
      CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent, v int)`);
    const inner = createDatabase({ url: database.url });
    const noting = (tx: Queryable): Queryable => ({
      query: (text, values) => {
        if (text.includes('stage.table_definition')) read.push(String(values?.[0]));
        return tx.query(text, values);
      },
    });
    service = {
      ...inner,
      transaction: (work, isolation, isDone) =>
        inner.transaction((tx) => work(noting(tx)), isolation, isDone),
    };
  });
  test.after(async () => {
    await service.close();
    await database.drop();
  });

  const oidOf = async (name: string) => {
    const [row] = await database.query(`SELECT '${name}'::regclass::oid::text AS oid`);
    return String(row?.['oid']);
  };
  /** The columns of a table's overlay view. */
  const columns = async (name: string) => {
    const [row] = await database.query(
      `SELECT array_to_string(ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = stage.overlay_of('${name}'::regclass) AND attnum > 0
         AND attname !~ '^_stage' ORDER BY attnum), ' ') AS names`,
    );
    return String(row?.['names']);
  };

  /** Makes a change, and returns the tables that a manager reads then for a write to `child`. */
  const reader = async () => {
    const [parent, child] = [await oidOf('parent'), await oidOf('child')];
    const manager = createOverlayManager(service);
    const reads = async (change = '') => {
      await database.query(change);
      read = [];
      await manager.ensure([Number(child)]);
      return read.sort();
    };
    return { parent, child, both: [parent, child].sort(), manager, reads };
  };

  test('are read once by each manager', async () => {
    const [first, second] = [await reader(), await reader()];
    for (const { reads, both } of [first, second]) {
      assert.equal(await reads(), both);
      assert.equal(await reads(), []);
    }
  });

  test('are read again after a change of them, of their overlay or of the registry', async () => {
    const { parent, child, both, manager, reads } = await reader();
    assert.equal(await reads(), both);
    // a stamp covers the columns of the tables on the other side of foreign keys
    assert.equal(await reads('ALTER TABLE child ADD COLUMN w int'), both);
    assert.is(await columns('child'), 'id parent v w');
    assert.equal(await reads(), []);
    assert.equal(await reads('ALTER TABLE parent RENAME COLUMN id TO number'), both);
    assert.is(await columns('parent'), 'number v');
    assert.equal(await reads(`SELECT stage.mark_outdated('')`), both);
    assert.equal(await reads(`SELECT stage.drop_stand_ins(${parent})`), [parent]);
    assert.is(await columns('parent'), 'number v');
    // an older state of the database was restored, in which another definition got the same stamp
    assert.equal(
      await reads(
        `UPDATE stage.overlay SET signature = 'of the restored table' WHERE relation = ${child}`,
      ),
      [child],
    );
    await database.query('DROP TABLE child');
    const error = await manager.ensure([Number(child)]).catch((thrown: Error) => thrown.message);
    assert.match(String(error), /no relation has the OID/);
  });
});
