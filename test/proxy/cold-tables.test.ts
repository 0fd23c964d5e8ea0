/**
 * SERIALIZABLE transactions of one session on tables that nobody has used through the proxy yet: their reads count as reads of the tables
 * themselves.
 */
import type { Step } from '../helpers/interleaving.ts';
import { beginBoth, interleave } from '../helpers/interleaving.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const doctors = `CREATE TABLE doc (id int PRIMARY KEY, oncall bool); INSERT INTO doc VALUES (1, true), (2, true);`;
const count = 'SELECT count(*) FROM doc WHERE oncall';
const leave = (id: number) => `UPDATE doc SET oncall = false WHERE id = ${id}`;

const begin = beginBoth('SERIALIZABLE');
/** Each transaction reads, then each writes, then the first one commits before the second. */
const skew = (read: string, first = leave(1), second = leave(2)): Step[] => [
  ...begin,
  [0, read],
  [1, read],
  [0, first],
  [0, 'COMMIT'],
  [1, second],
  [1, 'COMMIT'],
];

/** The tables of each schedule are created for it. */
const schedules: Readonly<Record<string, readonly [schema: string, steps: readonly Step[]]>> = {
  'each reads what the other writes': [doctors, skew(count)],
  'both commit at last': [
    doctors,
    [...begin, [0, count], [1, count], [0, leave(1)], [1, leave(2)], [0, 'COMMIT'], [1, 'COMMIT']],
  ],
  'of two tables': [
    `${doctors} CREATE TABLE log (id int PRIMARY KEY);`,
    [
      ...begin,
      [0, count],
      [1, 'SELECT count(*) FROM log'],
      [0, 'INSERT INTO log VALUES (1)'],
      [0, 'COMMIT'],
      [1, leave(1)],
      [1, 'COMMIT'],
    ],
  ],
  'in what is written': [
    `${doctors} CREATE TABLE log (id int PRIMARY KEY, n bigint);`,
    [
      ...begin,
      [0, 'INSERT INTO log SELECT 1, count(*) FROM doc WHERE oncall'],
      [1, 'SELECT count(*) FROM log'],
      [1, leave(1)],
      [1, 'COMMIT'],
      [0, 'COMMIT'],
    ],
  ],
  'of a partitioned table': [
    `CREATE TABLE doc (id int PRIMARY KEY, oncall bool) PARTITION BY LIST (id);
     CREATE TABLE doc_1 PARTITION OF doc FOR VALUES IN (1); CREATE TABLE doc_2 PARTITION OF doc FOR VALUES IN (2);
     INSERT INTO doc VALUES (1, true), (2, true);`,
    skew(count),
  ],
  'of a table that nobody else reads': [
    doctors,
    [
      [0, 'BEGIN ISOLATION LEVEL SERIALIZABLE'],
      [0, count],
      [0, leave(1)],
      [0, count],
      [0, 'COMMIT'],
    ],
  ],
  'under REPEATABLE READ': [
    doctors,
    [
      ...beginBoth('REPEATABLE READ'),
      [0, count],
      [1, count],
      [0, leave(1)],
      [0, 'COMMIT'],
      [1, leave(2)],
      [1, 'COMMIT'],
    ],
  ],
};

/**
 * The objects that the first read needs are newer than the transaction's snapshot. The proxy restarts the block, and the client does not
 * notice.
 */
const begunAnew: typeof schedules = {
  'by a view': [
    `${doctors} CREATE VIEW duty AS SELECT * FROM doc WHERE oncall;`,
    skew('SELECT count(*) FROM duty'),
  ],
  'by a function': [
    `${doctors} CREATE FUNCTION duty() RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM doc WHERE oncall';`,
    skew('SELECT duty()'),
  ],
  'of a table with children': [
    `CREATE TABLE doc (id int PRIMARY KEY, oncall bool); CREATE TABLE nurse (PRIMARY KEY (id)) INHERITS (doc);
     INSERT INTO doc VALUES (1, true); INSERT INTO nurse VALUES (2, true);`,
    skew(count),
  ],
};

const drop = 'DROP TABLE IF EXISTS doc, log, nurse CASCADE; DROP FUNCTION IF EXISTS duty';

suite('SERIALIZABLE on tables without an overlay', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
  });
  test.after(() => proxied.stop());

  for (const [name, [schema, steps]] of Object.entries({ ...schedules, ...begunAnew })) {
    test(name, async () => {
      await make(schema);
      assert.equal(await staged(steps), await direct(steps));
    });
  }

  async function make(schema: string): Promise<void> {
    for (const each of [proxied.database, proxied.twin]) {
      await each.query(drop);
      await each.query(schema);
    }
  }

  const staged = async (steps: readonly Step[]) =>
    interleave(proxied.database, await proxied.session('staged'), steps);
  const direct = (steps: readonly Step[]) => interleave(proxied.twin, proxied.twin.url, steps);

  test('a table that cannot be staged is read as production has it', async () => {
    const { database, session, connect } = proxied;
    await database.query('CREATE TABLE bare (); CREATE TABLE far (id int)');
    await database.query('CREATE RULE quiet AS ON INSERT TO far DO INSTEAD NOTHING');
    const client = await connect(await session('staged'));
    await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
    for (const table of ['bare', 'far', 'far', 'pg_class', 'information_schema.tables'])
      assert.is((await client.query(`SELECT 1 FROM ${table} LIMIT 0`)).rowCount, 0);
    await client.query('COMMIT');
  });
});
