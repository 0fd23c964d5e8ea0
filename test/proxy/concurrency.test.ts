/** Two connections of one session at once wait for each other, fail and recover as they would on the tables themselves. */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL, code text UNIQUE);
INSERT INTO item SELECT g, 0, 'c' || g FROM generate_series(1, 20) g;
CREATE TABLE part (id int PRIMARY KEY, item int REFERENCES item);`;

/** Returns the SQLSTATE with which the work fails, or `done`. */
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: pg.DatabaseError) => String(error.code),
  );

suite('two connections of one session', (test) => {
  let proxied: Proxied;
  let session: string;
  let one: pg.Client;
  let other: pg.Client;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  test.beforeEach(async () => {
    session = await proxied.daemon.newSession({ reads: 'staged' });
    const url = proxied.daemon.clientUrl(session);
    [one, other] = await Promise.all([proxied.connect(url), proxied.connect(url)]);
    // create the overlays first, so that nobody waits for them
    await one.query('BEGIN; UPDATE item SET n = n; INSERT INTO part VALUES (1, 1); ROLLBACK');
  });
  test.afterEach(async () => {
    await Promise.all([one.end(), other.end()]);
    assert.equal(await stuck(), 0, 'nothing is left waiting');
  });

  const stuck = async () => {
    const [row] = await proxied.database.query<{ n: string }>(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return Number(row?.n);
  };
  const waiting = () => until(async () => (await stuck()) > 0);
  const value = async (id: number) =>
    (await one.query(`SELECT n FROM item WHERE id = ${id}`)).rows[0]?.n;
  const stagedRows = async () => {
    const { body } = await proxied.daemon.call('GET', `/sessions/${session}/mutations`);
    return body.total_count as number;
  };

  test('a deadlock is told to one of them, and the other goes on', async () => {
    await one.query('BEGIN; UPDATE item SET n = 1 WHERE id = 1');
    await other.query('BEGIN; UPDATE item SET n = 2 WHERE id = 2');
    const finish = async (client: pg.Client, text: string) => {
      const code = await codeOf(client.query(text));
      await client.query(code === 'done' ? 'COMMIT' : 'ROLLBACK');
      return code;
    };
    const codes = await Promise.all([
      finish(one, 'UPDATE item SET n = 1 WHERE id = 2'),
      finish(other, 'UPDATE item SET n = 2 WHERE id = 1'),
    ]);
    // the connection that waited finds the row unlocked, and unchanged
    assert.equal([...codes].sort(), ['40P01', 'done']);
    const winner = codes[0] === 'done' ? 1 : 2;
    assert.equal([await value(1), await value(2)], [winner, winner]);
  });

  test('lock_timeout and statement_timeout end the waiting', async () => {
    await one.query('BEGIN; UPDATE item SET n = 1 WHERE id = 3');
    await other.query(`SET lock_timeout = '100ms'`);
    assert.is(await codeOf(other.query('UPDATE item SET n = 2 WHERE id = 3')), '55P03');
    await other.query(`SET lock_timeout = 0; SET statement_timeout = '200ms'`);
    assert.is(await codeOf(other.query('UPDATE item SET n = 2 WHERE id = 3')), '57014');
    await other.query('SET statement_timeout = 0');
    await one.query('COMMIT');
    assert.equal([await value(3), await stagedRows()], [1, 1]);
  });

  test('a statement that is cancelled leaves nothing half staged', async () => {
    await one.query('BEGIN; UPDATE item SET n = 1 WHERE id = 20');
    const cancelled = codeOf(other.query('UPDATE item SET n = 2'));
    await waiting();
    await proxied.database.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    assert.is(await cancelled, '57014');
    await one.query('ROLLBACK');
    assert.equal([await value(1), await value(20), await stagedRows()], [0, 0, 0]);
    assert.is((await other.query('UPDATE item SET n = 3')).rowCount, 20);
  });

  for (const [end, code] of [
    ['COMMIT', '23505'],
    ['ROLLBACK', 'done'],
  ] as const) {
    test(`the same new key or unique value, ${end}`, async () => {
      for (const [mine, theirs] of [
        [`(30, 0, 'a')`, `(30, 0, 'b')`],
        [`(33, 0, 'x')`, `(34, 0, 'x')`],
      ]) {
        await one.query(`BEGIN; INSERT INTO item VALUES ${mine}`);
        const second = codeOf(other.query(`INSERT INTO item VALUES ${theirs}`));
        await waiting();
        await one.query(end);
        assert.is(await second, code);
      }
    });
  }

  for (const level of ['REPEATABLE READ', 'SERIALIZABLE']) {
    test(`${level}: a row changed since the snapshot is 40001`, async () => {
      await other.query(`BEGIN ISOLATION LEVEL ${level}`);
      await other.query('SELECT count(*) FROM item');
      await one.query('UPDATE item SET n = 1 WHERE id = 7');
      assert.is((await other.query('SELECT n FROM item WHERE id = 7')).rows[0].n, 0);
      assert.is(
        (await rejects(other.query('UPDATE item SET n = n + 1 WHERE id = 7'))).code,
        '40001',
      );
      await other.query('ROLLBACK');
      await other.query('UPDATE item SET n = n + 1 WHERE id = 7');
      assert.is(await value(7), 2);
    });
  }
});

suite('many connections at once', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('no write is lost, whatever the order: the counters add up', async () => {
    const random = createRandom(20_261_121);
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const clients = await Promise.all(
      Array.from({ length: 4 }, () => proxied.connect(proxied.daemon.clientUrl(session))),
    );
    const plans = clients.map(() =>
      Array.from({ length: 25 }, () => [1 + random.below(4), 1 + random.below(9), random.below(3)]),
    );
    const added = await Promise.all(
      clients.map((client, index) => work(client, plans[index] ?? [])),
    );
    const [reader] = clients;
    const { rows } = await (reader as pg.Client).query('SELECT sum(n)::int AS n FROM item');
    assert.is(
      rows[0].n,
      added.reduce((sum, each) => sum + each, 0),
    );
    await proxied.daemon.call('POST', `/sessions/${session}/propose`);
    const answer = await proxied.daemon.call('POST', `/sessions/${session}/approve`);
    assert.is(answer.status, 200, answer.text);
    assert.equal(await proxied.database.query('SELECT sum(n)::int AS n FROM item'), rows);
  });

  /** Increments counters, by single statements and in transactions that may fail. Returns what was committed. */
  async function work(client: pg.Client, plan: readonly number[][]): Promise<number> {
    let sum = 0;
    for (const [id = 1, amount = 1, kind = 0] of plan) {
      sum +=
        kind === 0
          ? await addOnce(client, id, amount)
          : await addTwice(client, id, amount, kind === 1);
    }
    return sum;
  }

  const addTo = (id: number, amount: number) =>
    `UPDATE item SET n = n + ${amount} WHERE id = ${id}`;

  async function addOnce(client: pg.Client, id: number, amount: number): Promise<number> {
    await client.query(addTo(id, amount));
    return amount;
  }

  async function addTwice(
    client: pg.Client,
    id: number,
    amount: number,
    commits: boolean,
  ): Promise<number> {
    const steps = [
      'BEGIN',
      addTo(id, amount),
      addTo(1 + (id % 4), amount),
      commits ? 'COMMIT' : 'ROLLBACK',
    ];
    const code = await codeOf(client.query(steps.join(';')));
    if (code === 'done') return commits ? 2 * amount : 0;
    assert.is(code, '40P01');
    await client.query('ROLLBACK');
    return 0;
  }

  test('sessions on the same rows know nothing of each other', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () => proxied.daemon.newSession({ reads: 'staged' })),
    );
    const clients = await Promise.all(
      sessions.map((session) => proxied.connect(proxied.daemon.clientUrl(session))),
    );
    await Promise.all(clients.map((client) => client.query('BEGIN; UPDATE item SET n = 0')));
    await Promise.all(
      clients.map((client, index) => client.query(`UPDATE item SET n = n + ${index} WHERE id = 1`)),
    );
    await Promise.all(
      clients.map((client) => client.query('INSERT INTO item VALUES (99, 0, NULL)')),
    );
    await Promise.all(clients.map((client) => client.query('COMMIT')));
    const seen = await Promise.all(
      clients.map(
        async (client) => (await client.query('SELECT n FROM item WHERE id = 1')).rows[0].n,
      ),
    );
    assert.equal(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
