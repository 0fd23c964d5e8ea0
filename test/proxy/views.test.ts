/** Views and partitions in staged reads and as sources of staged writes: they show what is staged in the tables behind them. */
import type pg from 'pg';
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const reader = testRole('reader');

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, price numeric(8, 2) DEFAULT 1, maker int);
CREATE TABLE maker (id int PRIMARY KEY, name varchar(20));
CREATE DOMAIN label AS text;
CREATE SCHEMA "Other One"; CREATE TABLE "Other One"."item" (id int PRIMARY KEY, "Na me" label);
INSERT INTO item VALUES (1, 'one', 1.5, 1), (2, 'two', 2.5, 1), (3, 'three', 3.5, NULL); INSERT INTO maker VALUES (1, 'm');
INSERT INTO "Other One".item VALUES (1, 'else');
CREATE VIEW cheap AS SELECT id, name, price FROM item WHERE price < 3;
CREATE VIEW joined WITH (security_barrier) AS
  SELECT i.id, item.name AS other, m.name, sum(i.price) OVER () FROM item i JOIN maker m ON m.id = i.maker LEFT JOIN item ON item.id = i.id + 1;
CREATE VIEW nested AS WITH item AS (SELECT 'cte' AS x) SELECT c.*, x, (SELECT count(*) FROM public.item) AS n FROM cheap c, item;
CREATE VIEW "Other One"."odd $body$" AS SELECT "Na me" AS "a""b", item.id FROM "Other One".item UNION ALL SELECT name, id FROM public.item;
CREATE TABLE drawn (id int PRIMARY KEY, line json);
CREATE VIEW grouped AS SELECT id, line, count(*) FROM drawn GROUP BY id;
CREATE RECURSIVE VIEW numbers (n) AS SELECT 1 UNION ALL SELECT n + 1 FROM numbers JOIN item ON item.id = n;
CREATE MATERIALIZED VIEW kept AS SELECT count(*) FROM item;
CREATE VIEW over_kept AS SELECT k.count, (SELECT count(*) FROM item) AS now FROM kept k;
CREATE TABLE part (id int, k int, v text, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part_2 (v text, gone int, k int NOT NULL, id int NOT NULL); ALTER TABLE part_2 DROP COLUMN gone;
ALTER TABLE part ATTACH PARTITION part_2 FOR VALUES IN (2);
CREATE TABLE part_rest PARTITION OF part DEFAULT PARTITION BY RANGE (id);
CREATE TABLE part_low PARTITION OF part_rest FOR VALUES FROM (0) TO (10); CREATE TABLE part_other PARTITION OF part_rest DEFAULT;
INSERT INTO part VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c'), (30, 3, 'd');
CREATE VIEW of_part AS SELECT * FROM part_1 UNION ALL TABLE part_low;
`;

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

  test('a session that reads production reads it through views, too', async () => {
    const client = await connect('production');
    await client.query('DELETE FROM item WHERE id = 1; DELETE FROM part WHERE id = 1');
    assert.is((await client.query('SELECT FROM cheap')).rowCount, 2);
    assert.is((await client.query('SELECT FROM part_1')).rowCount, 1);
  });

  test('what is materialized stays as it is in production', async () => {
    const client = await connect();
    await client.query('DELETE FROM item');
    assert.equal((await client.query('SELECT * FROM kept')).rows, [{ count: '3' }]);
    const { rows } = await client.query({ text: 'SELECT * FROM over_kept', rowMode: 'array' });
    assert.equal(rows, [['3', '0']]);
  });

  test('a definition that needs a key, for a column by which nobody can group, is refused', async () => {
    assert.match(await refusal(await connect(), 'SELECT * FROM grouped'), /0A000.*GROUP BY.*hint/);
  });

  test('partitions and materialized views are no targets, ONLY of a partitioned table means nothing', async () => {
    const client = await connect();
    assert.match(await refusal(client, 'DELETE FROM part_1'), /0A000.*partitioned table/);
    assert.match(await refusal(client, 'DELETE FROM part_rest'), /0A000.*partitioned table/);
    assert.match(await refusal(client, 'DELETE FROM kept'), /0A000.*tables behind/);
    assert.match(await refusal(client, 'DELETE FROM ONLY part'), /0A000.*leave ONLY out/);
    assert.match(await refusal(client, 'SELECT * FROM ONLY part'), /0A000.*leave ONLY out/);
  });

  test('a changed definition, and a table that can be staged by now', async () => {
    const client = await connect();
    await proxied.database.query(`CREATE TABLE late (id int PRIMARY KEY); INSERT INTO late VALUES (1);
      CREATE RULE quiet AS ON DELETE TO late DO INSTEAD NOTHING; CREATE VIEW seen AS SELECT id FROM late`);
    assert.is((await client.query('SELECT * FROM seen')).rowCount, 1);
    await proxied.database.query('DROP RULE quiet ON late');
    await client.query('INSERT INTO late VALUES (2)');
    assert.is((await client.query('SELECT * FROM seen')).rowCount, 2);
    await proxied.database.query(
      'CREATE OR REPLACE VIEW seen AS SELECT id, -id AS minus FROM late',
    );
    assert.equal((await client.query('SELECT minus FROM seen ORDER BY 1')).rows, [
      { minus: -2 },
      { minus: -1 },
    ]);
    await proxied.database.query('DROP VIEW seen; DROP TABLE late');
  });

  test('a view that calls what writes lets nothing through', async () => {
    await proxied.database.query(`CREATE TABLE loot (v text);
      CREATE FUNCTION steal() RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.loot VALUES ('x'); RETURN 'x'; END$$;
      CREATE VIEW thief AS SELECT steal() AS v; CREATE VIEW den AS SELECT v FROM thief`);
    const client = await connect();
    for (const view of ['thief', 'den']) {
      for (const source of [`(SELECT v FROM ${view}) s`, view]) {
        const statement = `UPDATE item SET name = v FROM ${source}`;
        assert.match(await refusal(client, statement), /0A000.*makes a function write/);
      }
      assert.match(await refusal(client, `SELECT * FROM ${view}`), /25006/);
    }
    assert.equal(await proxied.database.query('SELECT * FROM loot'), []);
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
    // one that no session has staged rows in as a table
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
