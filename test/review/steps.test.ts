/**
 * The review shows what approval runs: the digest covers every step that approval replays, and the diff counts the steps that it does not
 * show.
 */
import pg from 'pg';
import type { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { replay } from '../helpers/replay.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE t (id int PRIMARY KEY, v text);
CREATE TABLE ledger (id int PRIMARY KEY, amount int);
CREATE TABLE payouts (id int, amount int);
CREATE FUNCTION pay() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO public.payouts VALUES (NEW.id, NEW.amount); RETURN NULL; END $$;
CREATE TRIGGER pay AFTER INSERT OR UPDATE ON ledger FOR EACH ROW EXECUTE FUNCTION pay();`;
const data = 'INSERT INTO ledger VALUES (1, 10); DELETE FROM payouts';

suite('steps: a session whose changes come to nothing', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.afterEach(() => staging.reset());

  const staged = async (statements: string) => {
    const session = await staging.open();
    await staging.stage(session, statements);
    return session;
  };
  const benign = `INSERT INTO t VALUES (800, 'benign')`;
  const hidden = `INSERT INTO ledger VALUES (666, 1000000); UPDATE ledger SET amount = 999 WHERE id = 1;
    UPDATE ledger SET amount = 10 WHERE id = 1; DELETE FROM ledger WHERE id = 666; ${benign}`;

  test('is not approved by the digest of what it comes to', async () => {
    const [reviewed, other] = [await staged(benign), await staged(hidden)];
    const { digest } = await diffOf(staging.service, reviewed);
    assert.is.not((await diffOf(staging.service, other)).digest, digest);
    await proposeSession(staging.service, other);
    const refused = await rejects<StageError>(
      approveSession(staging.service, other, { approvedBy: 'me', digest }),
    );
    assert.is(refused.code, 'digest_mismatch');
    assert.match(String(refused.hint), /read the diff again/i);
    assert.equal((await staging.contents())['payouts'], []);
    const { digest: own } = await diffOf(staging.service, other);
    await approveSession(staging.service, other, { approvedBy: 'me', digest: own });
    assert.is((await staging.contents())['payouts']?.length, 3);
  });

  test('shows how many changes approval replays beyond those that are left', async () => {
    const session = await staged(hidden);
    const reviewed = await diffOf(staging.service, session);
    assert.equal(reviewed.counts, [
      { table: 'ledger', inserts: 0, updates: 0, deletes: 0, furtherChanges: 4 },
      { table: 't', inserts: 1, updates: 0, deletes: 0, furtherChanges: 0 },
    ]);
    await proposeSession(staging.service, session);
    await approveSession(staging.service, session, { approvedBy: 'me', digest: reviewed.digest });
    assert.equal(await diffOf(staging.service, session), reviewed);
  });
});

const neighbours = `
CREATE TABLE a (id int PRIMARY KEY, v text, j json, l int[], f float8);
CREATE TABLE b (id int PRIMARY KEY, v text);
CREATE TABLE loose (v text, n int);
CREATE TABLE part (id int, region text, v int, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE part_eu PARTITION OF part FOR VALUES IN ('eu'); CREATE TABLE part_us PARTITION OF part FOR VALUES IN ('us');
CREATE TABLE p (id int PRIMARY KEY, v text);
CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE task (id int PRIMARY KEY, owner int REFERENCES p ON DELETE SET NULL, worker int REFERENCES p ON DELETE SET NULL);`;
const rows = `
INSERT INTO a SELECT g, 'v' FROM generate_series(1, 4) g; INSERT INTO b SELECT g, 'v' FROM generate_series(1, 4) g;
INSERT INTO loose VALUES ('same', 1), ('same', 1), ('other', 2); INSERT INTO part VALUES (1, 'eu', 1), (2, 'us', 2);
INSERT INTO p SELECT g, 'v' FROM generate_series(1, 4) g; INSERT INTO c VALUES (1, 1), (2, 1), (3, 2); INSERT INTO task VALUES (1, 3, 3)`;

/** Pairs with the same result, but other steps. */
const unlike: Readonly<Record<string, readonly [string, string]>> = {
  'a change back and forth': [
    '',
    `UPDATE a SET v = 'w' WHERE id = 1; UPDATE a SET v = 'v' WHERE id = 1`,
  ],
  'a change of nothing': ['', 'UPDATE a SET v = v WHERE id = 1'],
  'a row that comes and goes': ['', `INSERT INTO a VALUES (9, 'n'); DELETE FROM a WHERE id = 9`],
  'two steps to one value': [
    `UPDATE a SET v = 'x' WHERE id = 1`,
    `UPDATE a SET v = 'w' WHERE id = 1; UPDATE a SET v = 'x' WHERE id = 1`,
  ],
  'other steps to one value': [
    `UPDATE a SET v = 'w' WHERE id = 1; UPDATE a SET v = 'x' WHERE id = 1`,
    `UPDATE a SET v = 'u' WHERE id = 1; UPDATE a SET v = 'x' WHERE id = 1`,
  ],
  'a row deleted and inserted again': [
    `UPDATE a SET v = 'x' WHERE id = 1`,
    `DELETE FROM a WHERE id = 1; INSERT INTO a VALUES (1, 'x')`,
  ],
  'the order of rows': [
    `UPDATE a SET v = 'x' WHERE id = 1; UPDATE a SET v = 'x' WHERE id = 2`,
    `UPDATE a SET v = 'x' WHERE id = 2; UPDATE a SET v = 'x' WHERE id = 1`,
  ],
  'the order of tables': [
    `UPDATE a SET v = 'x' WHERE id = 1; UPDATE b SET v = 'x' WHERE id = 1`,
    `UPDATE b SET v = 'x' WHERE id = 1; UPDATE a SET v = 'x' WHERE id = 1`,
  ],
  'the bounds of statements': [
    `UPDATE a SET v = 'x' WHERE id IN (1, 2)`,
    `UPDATE a SET v = 'x' WHERE id = 1; UPDATE a SET v = 'x' WHERE id = 2`,
  ],
  'one statement for two tables': [
    `WITH x AS (INSERT INTO a VALUES (9, 'n')) INSERT INTO b VALUES (9, 'n')`,
    `INSERT INTO b VALUES (9, 'n'); INSERT INTO a VALUES (9, 'n')`,
  ],
  'the same rows in another table': [
    `INSERT INTO a (id, v) VALUES (9, 'n'); DELETE FROM a WHERE id = 9`,
    `INSERT INTO b (id, v) VALUES (9, 'n'); DELETE FROM b WHERE id = 9`,
  ],
  'keys that move': ['', 'UPDATE a SET id = 40 WHERE id = 4; UPDATE a SET id = 4 WHERE id = 40'],
  'keys that move another way': [
    'UPDATE a SET id = 40 WHERE id = 4; UPDATE a SET id = 4 WHERE id = 40',
    'UPDATE a SET id = 50 WHERE id = 4; UPDATE a SET id = 4 WHERE id = 50',
  ],
  'rows without a key': [
    '',
    `UPDATE loose SET n = 7 WHERE n = 2; UPDATE loose SET n = 2 WHERE n = 7`,
  ],
  partitions: [
    '',
    `UPDATE part SET region = 'us' WHERE id = 1; UPDATE part SET region = 'eu' WHERE id = 1`,
  ],
  'what a foreign key does': [
    `DELETE FROM p WHERE id = 1`,
    `DELETE FROM c WHERE pid = 1; DELETE FROM p WHERE id = 1`,
  ],
  'what a foreign key does, undone': [
    '',
    `UPDATE p SET id = 20 WHERE id = 2; UPDATE p SET id = 2 WHERE id = 20`,
  ],
  'a table emptied and filled again': [
    '',
    `DELETE FROM part; INSERT INTO part VALUES (1, 'eu', 1), (2, 'us', 2)`,
  ],
  'values that are the same JSON: a document': [
    `UPDATE a SET j = '{"n": 1}' WHERE id = 1`,
    `UPDATE a SET j = '{"n": 9, "n": 1}' WHERE id = 1`,
  ],
  'values that are the same JSON: an array': [
    `UPDATE a SET l = '{1,2}' WHERE id = 1`,
    `UPDATE a SET l = '[0:1]={1,2}' WHERE id = 1`,
  ],
  'values that are the same JSON: a zero': [
    `UPDATE a SET f = '0' WHERE id = 1`,
    `UPDATE a SET f = '-0' WHERE id = 1`,
  ],
  'values that look alike': [`INSERT INTO b VALUES (9, NULL)`, `INSERT INTO b VALUES (9, 'null')`],
};

/** The number of further changes of each table. */
const counted: Readonly<Record<string, readonly [string, Readonly<Record<string, number>>]>> = {
  'rows changed once each': [
    `UPDATE a SET v = 'x'; INSERT INTO b VALUES (9, 'n'); DELETE FROM part`,
    { a: 0, b: 0, part: 0 },
  ],
  'a row inserted and updated twice': [
    `INSERT INTO a VALUES (9, 'n'); UPDATE a SET v = 'm' WHERE id = 9; UPDATE a SET v = 'o' WHERE id = 9`,
    { a: 2 },
  ],
  'a row deleted and inserted again': [
    `DELETE FROM b WHERE id = 1; INSERT INTO b VALUES (1, 'x')`,
    { b: 1 },
  ],
  'a key that moves': ['UPDATE a SET id = 40 WHERE id = 4', { a: 0 }],
  'a key that moves and comes back': [
    'UPDATE a SET id = 40 WHERE id = 4; UPDATE a SET id = 4 WHERE id = 40',
    { a: 2 },
  ],
  'rows that a foreign key takes along': ['DELETE FROM p WHERE id = 1', { p: 0, c: 0 }],
  'two foreign keys to one row': ['DELETE FROM p WHERE id = 3', { p: 0, task: 0 }],
  'a parent that moves and comes back': [
    'UPDATE p SET id = 20 WHERE id = 2; UPDATE p SET id = 2 WHERE id = 20',
    { p: 2, c: 2 },
  ],
  'rows without a key': [
    `UPDATE loose SET n = 7 WHERE v = 'other'; UPDATE loose SET n = n + 1 WHERE v = 'other'`,
    { loose: 1 },
  ],
  partitions: [
    `UPDATE part SET region = 'us' WHERE id = 1; UPDATE part SET v = v + 1`,
    { part: 1 },
  ],
};

suite('steps: neighbours', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(neighbours, rows);
  });
  test.after(() => staging.close());
  test.afterEach(() => staging.reset());

  const read = async (statements: string) => {
    const session = await staging.open();
    await staging.stage(session, statements);
    return diffOf(staging.service, session);
  };

  for (const [name, [one, other]] of Object.entries(unlike)) {
    test(`${name}: another digest`, async () => {
      assert.is.not((await read(one)).digest, (await read(other)).digest);
      assert.is((await read(other)).digest, (await read(other)).digest);
    });
  }

  test('many: the same digest with parallel workers and without', async () => {
    const session = await staging.open();
    await staging.stage(
      session,
      `INSERT INTO b SELECT g, g FROM generate_series(10, 20020) g; UPDATE b SET v = 'w' WHERE id % 97 = 0; DELETE FROM a WHERE id = 1`,
    );
    const digest = (workers: number) =>
      staging.service.transaction(async (tx) => {
        await tx.query(`SET LOCAL max_parallel_workers_per_gather = ${workers}`);
        return tx.query('SELECT stage.steps_digest($1) AS digest', [session.slice(5)]);
      });
    assert.equal(await digest(2), await digest(0));
    assert.match(String((await digest(2))[0]?.['digest']), /^sha256:/);
  });

  test('a few in two tables: no parallel workers, which take longer to start', async () => {
    const session = await staging.open();
    await staging.stage(
      session,
      `INSERT INTO b VALUES (10, 'x'), (11, 'y'); DELETE FROM a WHERE id = 1`,
    );
    const client = new pg.Client({ connectionString: staging.database.url });
    const plans: string[] = [];
    client.on('notice', ({ message }) => plans.push(message ?? ''));
    await client.connect();
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0;
      SET auto_explain.log_nested_statements = on; SET client_min_messages = log`);
    await client.query('SELECT stage.steps_digest($1)', [session.slice(5)]);
    await client.end();
    assert.ok(plans.some((plan) => plan.includes('Append')));
    assert.equal(
      plans.filter((plan) => plan.includes('Gather')),
      [],
    );
  });

  for (const [name, [statements, expected]] of Object.entries(counted)) {
    test(`${name}: counted, and applied as counted`, async () => {
      const { counts } = await read(statements);
      const further = counts.map(({ table, furtherChanges }) => [table, furtherChanges]);
      assert.equal(Object.fromEntries(further), expected);
      await replay(staging, statements);
    });
  }
});
