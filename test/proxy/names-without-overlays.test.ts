/** What one connection has learned of tables without staged rows is used by others of the daemon, while it is true. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int);
CREATE TABLE part (id int PRIMARY KEY, item int);
INSERT INTO item VALUES (1, 10), (2, 20);
INSERT INTO part VALUES (1, 1), (2, 2);
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_functions = ''all''', current_database()); END $$;
`;
const read =
  'SELECT i.id, i.n, p.id AS part FROM item i JOIN part p ON p.item = i.id ORDER BY i.id, p.id';
const rows = (...found: number[][]) => found.map(([id, n, part]) => ({ id, n, part }));

/** By what happens to the tables after a connection has read them: the rows that the next connection finds. */
const changes: Readonly<Record<string, { readonly sql: string; readonly found: unknown }>> = {
  'rows change': {
    sql: 'UPDATE item SET n = 11 WHERE id = 1',
    found: rows([1, 11, 1], [2, 20, 2]),
  },
  'a table is replaced': {
    sql: 'ALTER TABLE part RENAME TO parts; CREATE TABLE part (id int, item int); INSERT INTO part VALUES (9, 1)',
    found: rows([1, 11, 9]),
  },
  'a view takes the name': {
    sql: 'DROP TABLE part; CREATE VIEW part AS SELECT id + 10 AS id, item FROM parts',
    found: rows([1, 11, 11], [2, 20, 12]),
  },
  'a table has children': {
    sql: 'CREATE TABLE items (PRIMARY KEY (id)) INHERITS (item); INSERT INTO items VALUES (3, 30); INSERT INTO parts VALUES (3, 3)',
    found: rows([1, 11, 11], [2, 20, 12], [3, 30, 13]),
  },
};

suite('names without overlays', (test) => {
  let proxied: Proxied;
  let session = '';
  test.before(async () => {
    proxied = await startProxied(schema);
    session = await proxied.session('staged');
  });
  test.after(() => proxied.stop());

  /** Sends a statement on a new connection. */
  const onAnother = async (text: string, url = session) => {
    const client = await proxied.connect(url);
    const result = await client.query(text);
    await client.end();
    return result.rows;
  };
  /** Counters come when a connection has ended, which takes a moment. */
  const timesResolved = async () => {
    await proxied.database.query('SELECT pg_stat_force_next_flush()');
    const [row] = await proxied.database.query(
      `SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_user_functions WHERE funcname = 'resolve_relations'`,
    );
    return Number(row?.['calls']);
  };

  test('are resolved once for all connections', async () => {
    const found = rows([1, 10, 1], [2, 20, 2]);
    assert.equal(await onAnother(read), found);
    const other = await proxied.session('staged');
    for (let each = 0; each < 4; each += 1) assert.equal(await onAnother(read, other), found);
    // the counters of the last connection may be missing
    assert.is(await timesResolved(), 1);
  });

  for (const [change, { sql, found }] of Object.entries(changes))
    test(`are resolved again where ${change}`, async () => {
      await onAnother(read);
      await proxied.database.query(sql);
      assert.equal(await onAnother(read), found);
    });

  test('are resolved again where rows are staged', async () => {
    await onAnother(read);
    await onAnother('UPDATE item SET n = 12 WHERE id = 1');
    assert.equal(await onAnother(read), rows([1, 12, 11], [2, 20, 12], [3, 30, 13]));
    const other = await proxied.session('staged');
    assert.equal(await onAnother(read, other), rows([1, 11, 11], [2, 20, 12], [3, 30, 13]));
  });
});
