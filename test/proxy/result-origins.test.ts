/** The columns of results name the tables that the client wrote as their origin, as in PostgreSQL. */
import type pg from 'pg';
import { ColumnOrigins } from '../../src/server-connection/result-origins.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE item (gone int, id int PRIMARY KEY, dropped text, name text NOT NULL, twice int GENERATED ALWAYS AS (id * 2) STORED);
ALTER TABLE item DROP COLUMN gone, DROP COLUMN dropped;
CREATE TABLE other (id int PRIMARY KEY, item int REFERENCES item ON DELETE CASCADE);
CREATE TABLE keyless (b text, a text);
CREATE TABLE animal (id int PRIMARY KEY, name text); CREATE TABLE dog (barks bool, PRIMARY KEY (id)) INHERITS (animal);
CREATE TABLE part (id int, at int, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE VIEW named AS SELECT name AS called, id FROM item;
INSERT INTO item VALUES (1, 'one'), (2, 'two'); INSERT INTO other VALUES (1, 1); INSERT INTO keyless VALUES ('b', 'a');
INSERT INTO animal VALUES (1, 'cat'); INSERT INTO dog VALUES (2, 'rex', true); INSERT INTO part VALUES (1, 1);
`;

const reads = [
  'SELECT name, id, twice, id + 1 AS more FROM item',
  'SELECT i.*, o.item FROM item AS i JOIN other o ON o.item = i.id',
  'SELECT item FROM item',
  'SELECT i, o FROM item i, other o',
  'SELECT array_agg(item) AS all, ARRAY(SELECT o FROM other o) AS others FROM item',
  'SELECT called, id FROM named',
  'SELECT named FROM named',
  'SELECT a, b FROM keyless',
  'SELECT id, name FROM animal',
  'SELECT barks, id FROM dog',
  'SELECT at, id FROM part',
  'WITH w AS (SELECT id FROM item) SELECT id FROM w',
  'SELECT count(*) FROM item',
  'SELECT relname FROM pg_class LIMIT 1',
];

const writes = [
  `INSERT INTO item (id, name) VALUES (7, 'x') RETURNING name, id, item`,
  `UPDATE item SET name = 'y' WHERE id = 1 RETURNING *`,
  'DELETE FROM other RETURNING item, id, ARRAY[other] AS gone',
  `INSERT INTO item (id, name) VALUES (1, 'z') ON CONFLICT (id) DO UPDATE SET name = 'w' RETURNING id, name`,
  'UPDATE animal SET name = upper(name) RETURNING id, name',
  `UPDATE named SET called = 'v' WHERE id = 2 RETURNING called, id`,
];

suite('proxy: where the columns of results come from', (test) => {
  let proxied: Proxied;
  let direct: pg.Client;
  test.before(async () => {
    proxied = await startProxied(schema);
    direct = await proxied.connect(proxied.database.url);
  });
  test.after(() => proxied.stop());

  const fieldsOf = async (client: pg.Client, text: string, values?: unknown[]) =>
    (await client.query(text, values)).fields.map(({ name, tableID, columnID, dataTypeID }) => [
      name,
      tableID,
      columnID,
      dataTypeID,
    ]);

  const stagedEverywhere = `UPDATE item SET name = name || '!'; UPDATE other SET item = 2; UPDATE keyless SET b = 'c';
    UPDATE animal SET name = 'tom'; UPDATE part SET at = 2`;

  test('staged reads, in both protocols', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    await client.query(stagedEverywhere);
    for (const text of reads) {
      const expected = await fieldsOf(direct, text);
      assert.equal(await fieldsOf(client, text), expected, text);
      assert.equal(await fieldsOf(client, `${text} OFFSET $1`, [0]), expected, text);
    }
    await client.query('BEGIN');
    await client.query('DECLARE c CURSOR FOR SELECT id, name FROM item');
    const expected = await fieldsOf(direct, 'SELECT id, name FROM item');
    assert.equal(await fieldsOf(client, 'FETCH 1 FROM c'), expected);
    await client.query('COMMIT');
  });

  test('RETURNING, whatever the connection reads', async () => {
    const client = await proxied.connect(await proxied.session());
    for (const text of writes) {
      await direct.query('BEGIN');
      const expected = await fieldsOf(direct, text);
      await direct.query('ROLLBACK');
      await client.query('BEGIN');
      assert.equal(await fieldsOf(client, text), expected, text);
      await client.query('ROLLBACK');
    }
    assert.equal(
      await fieldsOf(client, 'SELECT id FROM item'),
      await fieldsOf(direct, 'SELECT id FROM item'),
    );
  });

  test('after a migration they are those of the table as it is', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    await client.query(`UPDATE item SET name = 'a' WHERE id = 1`);
    await proxied.database.query('ALTER TABLE item ADD COLUMN extra int');
    const text = 'SELECT extra, name FROM item';
    assert.equal(await fieldsOf(client, text), await fieldsOf(direct, text));
  });
});

suite('proxy: column origins', (test) => {
  test('a RowDescription that is cut short is refused', async () => {
    const origins = new ColumnOrigins();
    origins.learn(1, { types: [2, 5], columns: [1], views: [[3, 4, 6]] });
    const column = [
      ...Buffer.from('id\0'),
      0,
      0,
      0,
      3,
      0,
      1,
      0,
      0,
      0,
      4,
      0,
      4,
      255,
      255,
      255,
      255,
      0,
      0,
    ];
    const whole = Buffer.from([0x54, 0, 0, 0, 27, 0, 1, ...column]);
    const reported = origins.shown(whole);
    assert.equal(
      [reported.readUInt32BE(10), reported.readInt16BE(14), reported.readUInt32BE(16)],
      [1, 1, 2],
    );
    assert.is(whole.readUInt32BE(10), 3);
    for (let end = 8; end < whole.length; end += 1) {
      const error = await rejects((async () => origins.shown(whole.subarray(0, end)))());
      assert.match(error.message, 'not whole');
    }
  });
});
