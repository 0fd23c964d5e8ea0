/** Views and partitions in staged reads and as sources of staged writes show what is staged in their tables. */
import type pg from 'pg';
import { approveStories } from '../helpers/alike.ts';
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const reader = testRole('reader');

const { schema, steps } = await readStories('proxy/views.sql');

const writes = [
  `UPDATE item SET price = price + 1 WHERE id < 3`,
  `INSERT INTO item VALUES (4, 'four', 0.5, 1)`,
  `DELETE FROM item WHERE id = 3`,
  `UPDATE maker SET name = 'M'`,
  `UPDATE "Other One".item SET "Na me" = 'new'`,
  `UPDATE part SET k = 2 WHERE id = 1`,
  `INSERT INTO part VALUES (5, 1, 'e'), (6, 7, 'f')`,
  `DELETE FROM part WHERE id = 30`,
];
const relations = [
  'cheap',
  'joined',
  'nested',
  'numbers',
  '"Other One"."odd $body$"',
  'part',
  'part_1',
  'part_2',
  'part_rest',
  'part_low',
  'part_other',
  'of_part',
];
const reads = [
  ...relations.map((name) => `TABLE ${name}`),
  'SELECT c.name, cheap.id FROM public.cheap c JOIN cheap ON cheap.id = c.id WHERE public.cheap.id > 1',
  'SELECT p FROM part_2 p',
  'SELECT * FROM ONLY part_1',
];

suite('views and partitions', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
    await proxied.database.query(createRole(reader));
  });
  test.after(async () => {
    await proxied.database.query(`DROP OWNED BY ${reader.name}; DROP ROLE ${reader.name}`);
    await proxied.stop();
  });
  const connect = async (reads: 'staged' | 'production' = 'staged'): Promise<pg.Client> =>
    proxied.connect(await proxied.session(reads));
  const refusal = async (client: pg.Client, statement: string) =>
    JSON.stringify(await outcomeOf(client, statement));

  test('show what is staged, and what is not yet', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    await assertSameAs(proxied, null, session, [...reads, ...writes, ...reads]);
  });

  test('as sources of writes', async () => {
    const session = await proxied.daemon.newSession();
    await assertSameAs(proxied, null, session, [
      ...writes,
      `UPDATE maker SET name = c.name FROM cheap c WHERE c.id = 4 RETURNING maker.name`,
      'INSERT INTO item (id, name) SELECT id + 100, v FROM part_low RETURNING *',
      'DELETE FROM item WHERE id IN (SELECT id FROM part_2) RETURNING id',
      'INSERT INTO item (id, name) SELECT 200, count::text FROM kept RETURNING *',
    ]);
  });

  approveStories(test, () => proxied, steps);

  test('a session that reads production reads it through views, too', async () => {
    const client = await connect('production');
    await client.query('DELETE FROM item WHERE id = 1; DELETE FROM part WHERE id = 1');
    assert.is((await client.query('SELECT FROM cheap')).rowCount, 2);
    assert.is((await client.query('SELECT FROM part_1')).rowCount, 1);
  });

  test('what takes the name of a view, and a partition that is detached', async () => {
    const client = await connect();
    await proxied.database.query('CREATE VIEW passing AS SELECT id FROM item');
    await client.query('SELECT * FROM passing');
    await proxied.database.query('DROP VIEW passing; CREATE TABLE passing (id int PRIMARY KEY)');
    await client.query('INSERT INTO passing VALUES (77)');
    assert.equal((await client.query('SELECT * FROM passing')).rows, [{ id: 77 }]);
    await proxied.database.query('DROP TABLE passing; CREATE VIEW passing AS SELECT 78 AS id');
    assert.equal((await client.query('SELECT * FROM passing')).rows, [{ id: 78 }]);

    await client.query('INSERT INTO part VALUES (9, 2, $1)', ['staged']);
    assert.is((await client.query('SELECT * FROM part_2')).rowCount, 2);
    await proxied.database.query('ALTER TABLE part DETACH PARTITION part_2');
    assert.is((await client.query('SELECT * FROM part_2')).rowCount, 1);
    await client.query(`UPDATE part_2 SET v = 'free'`);
    assert.equal((await client.query('SELECT v FROM part_2')).rows, [{ v: 'free' }]);
  });

  test('one that is renamed or moved is read on, and leaves nothing under its former name', async () => {
    const client = await connect();
    const { database } = proxied;
    await database.query(`CREATE SCHEMA apart; CREATE VIEW first AS SELECT count(*) FROM item; CREATE VIEW written AS SELECT id, name FROM item;
      CREATE TABLE piece PARTITION OF part FOR VALUES IN (50); INSERT INTO part VALUES (50, 50, 'x')`);
    await client.query(`INSERT INTO item VALUES (4, 'x'); UPDATE part SET v = 'y'`);
    const read = async (schema: string, names: readonly string[]) => {
      const relations = names.map((name) => `${schema}.${name}`);
      const [counted, written, piece] = relations;
      await client.query(`UPDATE ${written} SET name = '${schema} ${written}' WHERE id = 4`);
      assert.equal((await client.query(`TABLE ${counted}`)).rows, [{ count: '4' }]);
      assert.equal((await client.query(`TABLE ${piece}`)).rows, [{ id: 50, k: 50, v: 'y' }]);
      const { rows } = await client.query(`SELECT name FROM ${written} WHERE id = 4`);
      assert.equal(rows, [{ name: `${schema} ${written}` }]);
    };
    const left = (names: readonly string[]) =>
      database.query(
        `SELECT c.relname FROM pg_class c WHERE c.relnamespace::regnamespace::text ~ '^stage_(overlay|upsert)_' AND c.relname IN ('${names.join(`','`)}')
         UNION ALL SELECT v.table_name FROM stage.staged_view v LEFT JOIN pg_class c ON c.oid = v.relation WHERE c.oid IS NULL
         UNION ALL SELECT p.proname FROM pg_proc p LEFT JOIN pg_class c ON c.oid::text = substr(p.proname, 13) WHERE p.proname ~ '^staged_view_[0-9]' AND c.oid IS NULL`,
      );
    await read('public', ['first', 'written', 'piece']);
    await database.query(
      'ALTER VIEW first RENAME TO second; ALTER VIEW written RENAME TO rewritten; ALTER TABLE piece RENAME TO slice',
    );
    await read('public', ['second', 'rewritten', 'slice']);
    assert.equal(await left(['first', 'written', 'piece']), []);
    await database.query(
      'ALTER VIEW second SET SCHEMA apart; ALTER VIEW rewritten SET SCHEMA apart; ALTER TABLE slice SET SCHEMA apart',
    );
    await read('apart', ['second', 'rewritten', 'slice']);
    await database.query('DROP VIEW apart.second, apart.rewritten; DROP TABLE apart.slice');
    await database.query('DROP SCHEMA apart; CREATE VIEW another AS SELECT id FROM item');
    await client.query('TABLE another');
    assert.equal(await left(['second', 'rewritten', 'slice']), []);
  });

  test('a staged table that becomes a partition, and that partition a table again, as sources of writes', async () => {
    const client = await connect();
    const read = async (n: number) =>
      (await client.query(`INSERT INTO item SELECT -${n}, v FROM loose RETURNING name`)).rows;
    await proxied.database.query(
      `CREATE TABLE loose (id int, k int, v text, PRIMARY KEY (id, k)); INSERT INTO loose VALUES (70, 70, 'x')`,
    );
    const other = await connect();
    await other.query(`UPDATE loose SET v = 'another session'`);
    assert.equal(await read(1), [{ name: 'x' }]);
    await proxied.database.query('ALTER TABLE part ATTACH PARTITION loose FOR VALUES IN (70)');
    await client.query(`UPDATE part SET v = 'part' WHERE k = 70`);
    assert.equal(await read(2), [{ name: 'part' }]);
    await proxied.database.query('ALTER TABLE part DETACH PARTITION loose');
    assert.equal(await read(3), [{ name: 'x' }]);
    await other.query('ROLLBACK');
    // no session has staged rows in this partition as a table of its own
    await client.query('TABLE part_1');
    await proxied.database.query('ALTER TABLE part DETACH PARTITION part_1');
    const { rows } = await client.query('INSERT INTO item SELECT -4, v FROM part_1 RETURNING name');
    await proxied.database.query('ALTER TABLE part ATTACH PARTITION part_1 FOR VALUES IN (1)');
    assert.equal(rows, [{ name: 'a' }]);
  });

  test('rights on the tables behind are needed, and policies of others do not apply', async () => {
    await proxied.database.query(`CREATE TABLE own (id int PRIMARY KEY, who text); ALTER TABLE own ENABLE ROW LEVEL SECURITY;
      CREATE VIEW owners AS SELECT * FROM own; CREATE VIEW invokers WITH (security_invoker) AS SELECT * FROM own;
      CREATE POLICY mine ON own USING (who = current_user); INSERT INTO own VALUES (1, '${reader.name}'), (2, 'else');
      GRANT SELECT ON cheap, own, owners, invokers TO ${reader.name}`);
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(
      proxied.daemon.clientUrl(session, reader.name, reader.password),
    );
    assert.match(
      await refusal(client, 'SELECT * FROM cheap'),
      /42501.*permission denied for table item/,
    );
    assert.match(await refusal(client, 'SELECT * FROM owners'), /0A000.*row-level security/);
    await client.query(`UPDATE own SET id = 10`);
    assert.equal((await client.query('SELECT id FROM invokers')).rows, [{ id: 10 }]);
  });
});
