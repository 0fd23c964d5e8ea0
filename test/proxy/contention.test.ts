/** Many connections of one session on few rows: invariants hold in any order, and no statement fails that would not fail directly. */
import type pg from 'pg';
import { firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const schema = `
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0));
INSERT INTO account SELECT g, 100 FROM generate_series(1, 5) g;
CREATE TABLE list (id int PRIMARY KEY, entries int[] NOT NULL DEFAULT '{}');
INSERT INTO list SELECT generate_series(1, 3);
CREATE TABLE owner (id int PRIMARY KEY);
CREATE TABLE thing (id int PRIMARY KEY, owner int NOT NULL REFERENCES owner);
CREATE TABLE shift (id int PRIMARY KEY, on_call bool NOT NULL);
INSERT INTO shift SELECT g, true FROM generate_series(1, 4) g;
`;

const waits = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`;
const connections = 5;
const rounds = 12;

suite('contention in one session', (test) => {
  let proxied: Proxied;
  let session: string;
  let clients: pg.Client[];
  let seed = firstSeed();
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  test.beforeEach(async () => {
    session = await proxied.daemon.newSession({ reads: 'staged' });
    const url = proxied.daemon.clientUrl(session);
    clients = await Promise.all(Array.from({ length: connections }, () => proxied.connect(url)));
  });
  test.afterEach(async () => {
    const ends = await Promise.all(clients.map((client) => client.end()));
    assert.is(ends.length, connections);
  });

  /** Runs the work on all connections at once, one round after the other. */
  const everywhere = async (
    work: (client: pg.Client, random: Random, round: number, place: number) => Promise<void>,
  ) => {
    await Promise.all(
      clients.map(async (client, place) => {
        seed += 1;
        const random = createRandom(seed);
        for (let round = 0; round < rounds; round += 1) await work(client, random, round, place);
      }),
    );
  };

  const read = async (text: string) => (await (clients[0] as pg.Client).query(text)).rows[0];

  /** Runs a transaction until it commits. Retries only after errors that PostgreSQL could return, too. */
  const commit = async (
    client: pg.Client,
    begin: string,
    curable: RegExp,
    work: () => Promise<unknown>,
  ): Promise<void> => {
    for (;;) {
      await client.query(begin);
      try {
        await work();
        await client.query('COMMIT');
        return;
      } catch (error) {
        await client.query('ROLLBACK');
        assert.match(String((error as pg.DatabaseError).code), curable);
      }
    }
  };

  for (const [level, curable] of [
    ['READ COMMITTED', /^40P01$/],
    ['REPEATABLE READ', /^(40001|40P01)$/],
  ] as const) {
    test(`bank transfers, ${level}: no money comes or goes`, async () => {
      await everywhere(async (client, random) => {
        const [from, to] = [1 + random.below(5), 1 + random.below(5)];
        const amount = random.below(60);
        await commit(client, `BEGIN ISOLATION LEVEL ${level}`, curable, async () => {
          const taken = await client.query(
            'UPDATE account SET balance = balance - $2 WHERE id = $1 AND balance >= $2',
            [from, amount],
          );
          if (taken.rowCount === 1)
            await client.query(`UPDATE account SET balance = balance + ${amount} WHERE id = ${to}`);
        });
      });
      assert.equal(await read('SELECT sum(balance)::int AS sum FROM account'), { sum: 500 });
    });
  }

  test('list append: nothing is lost, and each keeps its own order', async () => {
    await everywhere(async (client, random, round, place) => {
      const entry = place * 100 + round;
      const text = 'UPDATE list SET entries = entries || $1::int WHERE id = $2';
      // a single statement never fails
      await client.query(text, [entry, 1 + random.below(3)]);
    });
    const { entries } = await read(
      'SELECT array_agg(e) AS entries FROM list, unnest(entries) WITH ORDINALITY u(e, n)',
    );
    assert.is(entries.length, connections * rounds);
    assert.is(new Set(entries).size, connections * rounds);
    const { sorted } = await read(
      `SELECT bool_and(e > before) AS sorted FROM (
         SELECT e, lag(e) OVER (PARTITION BY id, e / 100 ORDER BY n) AS before FROM list, unnest(entries) WITH ORDINALITY u(e, n)) x
       WHERE before IS NOT NULL`,
    );
    assert.is(sorted ?? true, true);
  });

  test('parents come and go under their children: no orphan is left, and approval agrees', async () => {
    await everywhere(async (client, random, round, place) => {
      const owner = 1 + random.below(3);
      const texts = [
        'INSERT INTO owner VALUES ($1) ON CONFLICT DO NOTHING',
        `INSERT INTO thing VALUES (${place * 100 + round}, $1)`,
        'DELETE FROM owner WHERE id = $1 AND NOT EXISTS (SELECT FROM thing WHERE owner = $1)',
        'DELETE FROM thing WHERE owner = $1',
      ];
      await client.query('BEGIN');
      for (const text of [texts[random.below(4)], texts[random.below(4)]]) {
        const outcome = await client.query(text as string, [owner]).catch((error) => error.code);
        if (typeof outcome !== 'string') continue;
        assert.match(outcome, /^(23503|23505|40P01)$/);
        break;
      }
      await client.query('COMMIT');
    });
    const orphans =
      'SELECT count(*)::int AS n FROM thing WHERE owner NOT IN (SELECT id FROM owner)';
    assert.equal(await read(orphans), { n: 0 });
    await proxied.daemon.call('POST', `/sessions/${session}/propose`);
    const answer = await proxied.daemon.call('POST', `/sessions/${session}/approve`);
    assert.is(answer.status, 200, answer.text);
  });

  test('SERIALIZABLE: the last one on call stays', async () => {
    await everywhere(async (client, random) => {
      const id = 1 + random.below(4);
      await commit(client, 'BEGIN ISOLATION LEVEL SERIALIZABLE', /^(40001|40P01)$/, async () => {
        const { rows } = await client.query('SELECT count(*)::int AS n FROM shift WHERE on_call');
        const leaves = rows[0].n > 1 && random.chance(0.7);
        await client.query('UPDATE shift SET on_call = $1 WHERE id = $2', [!leaves, id]);
      });
      const { rows } = await client.query('SELECT count(*)::int AS n FROM shift WHERE on_call');
      assert.ok(rows[0].n >= 1);
    });
  });

  test('a write that has waited for a row goes on where names have to be asked for again', async () => {
    const [first, second] = clients as [pg.Client, pg.Client];
    const add = 'UPDATE account SET balance = balance + 1 WHERE id = 1 RETURNING balance';
    await second.query(add);
    await first.query(`BEGIN; ${add}`);
    for (const name of [undefined, 'kept']) {
      await second.query('BEGIN');
      const waiting = second.query({ text: add, ...(name && { name }) });
      await until(async () => (await proxied.database.query(waits)).length > 0);
      // the next login notices the function, and with it the service does
      await proxied.database.query(
        `CREATE FUNCTION made_${name}() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
      );
      await proxied.connect(proxied.daemon.clientUrl(session));
      await first.query('COMMIT');
      await waiting;
      await second.query('COMMIT');
      await first.query(`BEGIN; ${add}`);
    }
    assert.is((await first.query(add)).rows[0].balance, 107);
    await first.query('COMMIT');
  });
});
