/** Two connections of one session that lock rows: they wait for each other, and end with PostgreSQL's results. */
import type { Step } from '../helpers/interleaving.ts';
import { interleave } from '../helpers/interleaving.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { fill, lock, spend, startFilled, take } from './row-lock-tables.ts';

const versioned =
  'UPDATE account SET balance = 0, version = version + 1 WHERE id = 1 AND version = 0';

const both = (...texts: string[]): Step[] =>
  texts.flatMap((text) => [[0, text] as const, [1, text] as const]);
const read = 'SELECT balance FROM account WHERE id = 1 FOR UPDATE';
const next = 'SELECT id, state FROM job WHERE state = $$ready$$ ORDER BY id LIMIT 1 FOR UPDATE';
const give = (id: number) => `UPDATE job SET state = 'taken' WHERE id = ${id}`;
const claim = `UPDATE job SET state = 'taken' WHERE id = (${next} SKIP LOCKED) RETURNING id`;
const joined = `SELECT a.balance, o.name FROM account a JOIN owner o ON o.id = a.owner WHERE a.id = 1`;

/** The final results of two connections of one session, whoever had to wait. */
const races: Readonly<Record<string, readonly Step[]>> = {
  'relative changes behind a lock': [
    ...([
      [0, 'BEGIN'],
      [1, 'BEGIN'],
      [0, lock],
      [0, spend],
      [1, spend],
    ] as const),
    ...([
      [0, 'COMMIT'],
      [1, 'COMMIT'],
    ] as const),
  ],
  'absolute changes behind a lock': [
    ...both('BEGIN'),
    [0, read],
    [1, read],
    [0, 'UPDATE account SET balance = 90 WHERE id = 1'],
    [0, 'COMMIT'],
    [1, 'UPDATE account SET balance = 80 WHERE id = 1'],
    [1, 'COMMIT'],
    [0, 'SELECT balance FROM account WHERE id = 1'],
  ],
  'a lock of a staged row, by a transaction that rolls back': [
    [0, spend],
    ...both('BEGIN'),
    [0, read],
    [1, read],
    [0, spend],
    [0, 'ROLLBACK'],
    [1, spend],
    [1, 'COMMIT'],
    [0, read],
  ],
  'a lock makes a write wait': [
    ...both('BEGIN'),
    [0, 'SELECT id FROM account WHERE id IN (1, 2) ORDER BY id FOR NO KEY UPDATE'],
    [1, 'UPDATE account SET balance = 5 WHERE id = 2'],
    [0, 'COMMIT'],
    [1, 'DELETE FROM account WHERE id = 1'],
    [1, 'COMMIT'],
    [0, 'SELECT id, balance FROM account ORDER BY id'],
  ],
  'a write makes a lock wait, and takes the row away': [
    ...both('BEGIN'),
    [0, 'DELETE FROM account WHERE id = 1'],
    [0, 'UPDATE account SET owner = 2 WHERE id = 2'],
    [1, 'SELECT id FROM account WHERE owner = 1 ORDER BY id FOR UPDATE'],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'a queue without SKIP LOCKED': [
    ...both('BEGIN'),
    [0, next],
    [1, next],
    [0, give(1)],
    [0, 'COMMIT'],
    [1, next],
    [1, 'COMMIT'],
  ],
  'a queue with SKIP LOCKED': [
    [0, 'UPDATE job SET run_at = run_at WHERE id = 2'],
    ...both('BEGIN'),
    [0, `${next} SKIP LOCKED`],
    [1, `${next} SKIP LOCKED`],
    [0, give(1)],
    [1, give(2)],
    [0, 'SELECT id FROM job ORDER BY id FOR UPDATE SKIP LOCKED OFFSET 1 LIMIT 2'],
    [1, 'SELECT id FROM job ORDER BY id FOR UPDATE SKIP LOCKED'],
    ...both('COMMIT'),
  ],
  'a queue with SKIP LOCKED in one statement': [
    ...both('BEGIN', claim),
    [0, 'COMMIT'],
    [1, claim],
    [1, 'COMMIT'],
  ],
  'NOWAIT of a row that is locked, and of one that is being staged': [
    ...both('BEGIN'),
    [0, read],
    [1, `${read} NOWAIT`],
    ...both('ROLLBACK', 'BEGIN'),
    [0, 'UPDATE account SET balance = 5 WHERE id = 1'],
    [1, `${read} NOWAIT`],
    ...both('ROLLBACK'),
  ],
  'outside of a block': [
    [0, 'BEGIN'],
    [0, spend],
    [0, give(1)],
    [1, `${read} NOWAIT`],
    [1, `${next} SKIP LOCKED`],
    [1, 'SELECT id FROM job ORDER BY id FOR UPDATE SKIP LOCKED'],
    [1, read],
    [0, 'COMMIT'],
    [1, `${read} NOWAIT`],
    [0, `${read} NOWAIT`],
  ],
  'OF one table of a join': [
    ...both('BEGIN'),
    [0, `${joined} FOR UPDATE OF a`],
    [1, 'UPDATE owner SET name = $$x$$ WHERE id = 2'],
    [1, `${joined} FOR UPDATE OF o`],
    [1, `${joined} FOR UPDATE`],
    [0, 'UPDATE account SET balance = 1 WHERE id = 1'],
    ...both('COMMIT'),
  ],
  'a savepoint gives its locks back': [
    ...both('BEGIN'),
    [0, 'SAVEPOINT s'],
    [0, read],
    [0, 'ROLLBACK TO s'],
    [1, `${read} NOWAIT`],
    ...both('COMMIT'),
  ],
  'a lock under REPEATABLE READ of a row that was changed since': [
    ...both('BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account'),
    [0, spend],
    [1, read],
    [0, 'COMMIT'],
    [1, 'ROLLBACK'],
  ],
  'an optimistic version': [
    ...([
      [0, 'BEGIN'],
      [1, 'BEGIN'],
      [0, versioned],
      [1, versioned],
    ] as const),
    ...([
      [0, 'COMMIT'],
      [1, 'COMMIT'],
    ] as const),
  ],
  'a lock whose holder has come first, under REPEATABLE READ': [
    [0, 'BEGIN ISOLATION LEVEL REPEATABLE READ'],
    [1, 'BEGIN ISOLATION LEVEL REPEATABLE READ'],
    [1, 'SELECT count(*) FROM account'],
    [0, lock],
    [0, 'UPDATE account SET balance = 1 WHERE id = 1'],
    [0, 'COMMIT'],
    [1, 'UPDATE account SET balance = 2 WHERE id = 1'],
    [1, 'ROLLBACK'],
  ],
};

const deadlock: readonly Step[] = [
  ...both('BEGIN'),
  [0, 'SELECT FROM account WHERE id = 1 FOR UPDATE'],
  [1, 'SELECT FROM account WHERE id = 2 FOR UPDATE'],
  [0, 'SELECT FROM account WHERE id = 2 FOR UPDATE'],
  [1, 'SELECT FROM account WHERE id = 1 FOR UPDATE'],
  // waits for whoever is left
  [2, 'UPDATE account SET balance = 3 WHERE id = 1'],
  ...both('ROLLBACK'),
];

suite('races for row locks', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startFilled();
  });
  test.after(() => proxied.stop());

  for (const [name, steps] of Object.entries(races)) {
    for (const mode of [undefined, 'extended'] as const) {
      test(`two connections: ${name}${mode ? `, ${mode} protocol` : ''}`, async () => {
        await proxied.twin.query(fill);
        const url = await proxied.session('staged');
        const staged = await interleave(proxied.database, url, steps, { queryMode: mode });
        const direct = await interleave(proxied.twin, proxied.twin.url, steps, { queryMode: mode });
        assert.equal(staged, direct);
      });
    }
  }

  test('two connections: a deadlock of two locks has one victim', async () => {
    await proxied.twin.query(fill);
    for (const url of [await proxied.session('staged'), proxied.twin.url]) {
      const server = url === proxied.twin.url ? proxied.twin : proxied.database;
      const outcomes = await interleave(server, url, deadlock);
      assert.is(outcomes.filter((outcome) => outcome.endsWith('waits, 40P01')).length, 1);
    }
  });

  test('two workers of one session never take the same job', async () => {
    const url = await proxied.session('staged');
    const workers = await Promise.all([1, 2, 3].map(() => proxied.connect(url)));
    const taken = await Promise.all(
      workers.map(async (worker) => {
        const ids: number[] = [];
        for (;;) {
          const { rows } = await worker.query<{ id: number }>(take);
          if (rows.length === 0) return ids;
          ids.push(...rows.map(({ id }) => id));
        }
      }),
    );
    assert.equal(taken.flat().sort(), [1, 2, 3, 4, 5]);
  });
});
