/** Statements by which workers take jobs from a queue, the races of two of them, and random programs of several. */
import type { Step } from '../helpers/interleaving.ts';
import type { Random } from '../helpers/random.ts';

const ready = (columns: string, limit = 1, wait = 'SKIP LOCKED') =>
  `SELECT ${columns} FROM job WHERE state = 'ready' ORDER BY id LIMIT ${limit} FOR UPDATE ${wait}`;
const taken = `UPDATE job SET state = 'taken'`;

/** Statements that take the next job or jobs. */
const forms: Readonly<Record<string, string>> = {
  'a scalar sub-select': `${taken} WHERE id = (${ready('id')}) RETURNING id, state`,
  'without RETURNING': `${taken} WHERE id = (${ready('id')})`,
  'IN a sub-select': `${taken} WHERE id IN (${ready('id', 2)}) RETURNING id`,
  'IN, without RETURNING': `${taken} WHERE id IN (${ready('id', 2)})`,
  'IN, with the clause before LIMIT': `${taken} WHERE id IN (SELECT id FROM job WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 2 OFFSET 1) RETURNING id`,
  'ANY of an array': `${taken} WHERE id = ANY (ARRAY(${ready('id', 2)})) RETURNING id`,
  'rows of several columns': `${taken} WHERE (id, queue) IN (${ready('id, queue', 2, 'OF job SKIP LOCKED')}) RETURNING id`,
  'columns by number and by another name': `${taken} WHERE id IN (SELECT j.id + 0 AS n FROM job AS j WHERE state = 'ready' ORDER BY 1 DESC, n LIMIT 2 FOR NO KEY UPDATE SKIP LOCKED) RETURNING id`,
  'a WITH query': `WITH c AS (${ready('id')}) ${taken} FROM c WHERE job.id = c.id RETURNING job.*`,
  'a WITH query of all columns': `WITH c AS (${ready('*', 2)}) ${taken} FROM c WHERE job.id = c.id RETURNING c.*, job.state AS now`,
  'a WITH query with names': `WITH c (x, y) AS MATERIALIZED (${ready('j.id, j.queue').replace('FROM job', 'FROM job j')}) ${taken} FROM c WHERE job.id = c.x RETURNING c.*`,
  'a sub-select in FROM': `${taken} FROM (${ready('j.*', 2).replace('FROM job', 'FROM job j')}) AS c WHERE job.id = c.id RETURNING c.*`,
  'a join': `${taken} FROM (SELECT j.id, o.name FROM job j JOIN owner o ON o.id = 1 WHERE j.state = 'ready' ORDER BY j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED) c WHERE job.id = c.id RETURNING job.id, c.name`,
  'its own WITH query': `${taken} WHERE id = (WITH q AS (SELECT 'ready' AS s) SELECT id FROM job WHERE state = (SELECT s FROM q) ORDER BY id FOR UPDATE SKIP LOCKED FETCH FIRST ROW ONLY) RETURNING id`,
  'a correlated sub-select': `UPDATE job SET state = 'taken' WHERE id = (SELECT k.id FROM job k WHERE k.state = 'ready' AND k.queue = job.queue ORDER BY k.id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`,
  'a LATERAL sub-select': `${taken} FROM owner o, LATERAL (SELECT j.id FROM job j WHERE j.id >= o.id AND j.state = 'ready' ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED) c WHERE o.id = 1 AND job.id = c.id RETURNING job.id`,
  DELETE: `DELETE FROM job WHERE id = (${ready('id')}) RETURNING *`,
  'DELETE USING a WITH query': `WITH c AS (${ready('id', 2)}) DELETE FROM job USING c WHERE job.id = c.id RETURNING job.id`,
  'a DELETE in WITH': `WITH d AS (DELETE FROM job WHERE id IN (${ready('id', 2)}) RETURNING *) SELECT * FROM d ORDER BY id`,
  'an INSERT': `INSERT INTO owner SELECT 100 + c.id, c.queue FROM (${ready('id, queue')}) c RETURNING *`,
  EXISTS: `DELETE FROM account WHERE id = CASE WHEN EXISTS (SELECT FROM job WHERE id = 1 FOR UPDATE SKIP LOCKED) THEN 1 ELSE 2 END RETURNING id`,
};

const both = (...texts: string[]): Step[] =>
  texts.flatMap((text) => [[0, text] as const, [1, text] as const]);
const list = `UPDATE job SET queue = queue RETURNING id, state, queue`;
/** Stages a change of the table first, so that the session has its own rows of it. */
const stage: Step = [0, `UPDATE job SET queue = 'post' WHERE id = 2`];

export const races: Record<string, readonly Step[]> = {};
for (const [name, text] of Object.entries(forms)) {
  races[`${name}: the other one commits`] = [
    stage,
    ...both('BEGIN', text),
    [0, 'COMMIT'],
    [1, text],
    [1, 'COMMIT'],
    [0, list],
  ];
  races[`${name}: the other one rolls back`] = [
    stage,
    [0, 'BEGIN'],
    [0, text],
    [1, text],
    [0, 'ROLLBACK'],
    [1, text],
    [0, list],
  ];
  const nowait = text.replace('SKIP LOCKED', 'NOWAIT');
  races[`${name}: NOWAIT`] = [
    stage,
    [0, 'BEGIN'],
    [0, text],
    [1, nowait],
    [0, 'COMMIT'],
    [1, nowait],
    [0, list],
  ];
}
const claim = forms['a scalar sub-select'] ?? '';
const lockOne = 'SELECT id FROM job WHERE id = 1 FOR UPDATE';

Object.assign(races, {
  'a job that another statement has taken': [
    ...both('BEGIN'),
    [0, `${taken} WHERE id = 1`],
    [1, claim],
    ...both('COMMIT'),
    [0, list],
  ],
  'a savepoint gives the job back': [
    ...both('BEGIN'),
    [0, 'SAVEPOINT s'],
    [0, claim],
    [1, claim],
    [0, 'ROLLBACK TO s'],
    [1, claim],
    ...both('COMMIT'),
    [0, list],
  ],
  'more workers than jobs': [
    [0, 'DELETE FROM job WHERE id > 2'],
    ...both('BEGIN', claim, claim, 'COMMIT'),
    [0, list],
  ],
  'REPEATABLE READ, a job that has been taken since': [
    [1, 'BEGIN ISOLATION LEVEL REPEATABLE READ'],
    [1, 'SELECT count(*) FROM job'],
    [0, claim],
    [1, claim],
    [1, 'ROLLBACK'],
    [0, claim],
  ],
  'REPEATABLE READ, a job that is being taken': [
    ...both('BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM job', claim),
    ...both('COMMIT'),
    [0, list],
  ],
  'a locked job that the statement does not take': [
    ...both('BEGIN'),
    [0, `${taken} WHERE queue = 'none' AND id = (${ready('id')})`],
    [
      0,
      `${taken} WHERE queue = 'mail' AND id IN (SELECT id FROM job WHERE id = 3 FOR UPDATE SKIP LOCKED) AND state = 'none'`,
    ],
    [1, `${taken} WHERE id IN (${ready('id', 3)}) RETURNING id`],
    ...both('COMMIT'),
    [0, list],
  ],
} satisfies Record<string, readonly Step[]>);

/** Races in which a SELECT locks, which needs staged reads. */
export const stagedReads: Readonly<Record<string, readonly Step[]>> = {
  'a row that the other one has locked': [...both('BEGIN'), [0, lockOne], [1, claim], [0, claim]],
  'a row that the other one locks after it was taken': [
    ...both('BEGIN'),
    [0, claim],
    [1, `${lockOne} NOWAIT`],
    [0, 'ROLLBACK'],
    [1, 'ROLLBACK'],
  ],
};

/** Returns the outcomes of steps with the rows that they return in one order: PostgreSQL returns them in any. */
export const inAnyOrder = (outcomes: readonly string[]): string[] =>
  outcomes.map((outcome) =>
    outcome.replace(/\[\[.*\]\]$/, (rows) =>
      (JSON.parse(rows) as unknown[])
        .map((row) => JSON.stringify(row))
        .sort()
        .join(),
    ),
  );

/** The rows after a program. */
export const state = 'SELECT id, queue, state FROM job ORDER BY id';

/** Returns a random program of up to three workers. */
export function program(random: Random): Step[] {
  const workers = 2 + random.below(2);
  const isOpen = new Set<number>();
  return Array.from({ length: 8 + random.below(8) }, (): Step => {
    const worker = random.below(workers);
    if (!isOpen.has(worker) && random.chance(0.6)) {
      isOpen.add(worker);
      return [worker, random.chance(0.2) ? 'BEGIN ISOLATION LEVEL REPEATABLE READ' : 'BEGIN'];
    }
    if (isOpen.has(worker) && random.chance(0.2)) {
      isOpen.delete(worker);
      return [worker, random.pick(['COMMIT', 'COMMIT', 'ROLLBACK'])];
    }
    return [worker, statement(random)];
  });
}

function statement(random: Random): string {
  const id = 1 + random.below(5);
  if (random.chance(0.25))
    return random.pick([
      `UPDATE job SET state = 'ready' WHERE id = ${id}`,
      `UPDATE job SET queue = queue || ${id} WHERE id = ${id} RETURNING queue`,
      `INSERT INTO job VALUES (${10 + random.below(1000)}, 'new')`,
      `SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    ]);
  const wait = random.pick(['SKIP LOCKED', 'SKIP LOCKED', 'SKIP LOCKED', 'NOWAIT']);
  const order = random.pick(['id', 'id DESC', 'queue, id']);
  const tail = `WHERE state = 'ready' ORDER BY ${order} LIMIT ${1 + random.below(3)} FOR ${random.pick(['UPDATE', 'NO KEY UPDATE'])} ${wait}`;
  const set = `UPDATE job SET state = ${random.pick([`'taken'`, 'state', `'done'`])}`;
  return random.pick([
    `${set} WHERE id IN (SELECT id FROM job ${tail}) RETURNING id`,
    `${set} WHERE id = ANY (ARRAY(SELECT id FROM job ${tail})) RETURNING id`,
    `WITH c AS (SELECT * FROM job ${tail}) ${set} FROM c WHERE c.id = job.id RETURNING job.*`,
    `DELETE FROM job WHERE id IN (SELECT id FROM job ${tail}) RETURNING *`,
    `${set} WHERE id IN (SELECT id FROM job ${tail})`,
  ]);
}
