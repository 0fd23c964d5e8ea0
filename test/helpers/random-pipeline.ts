/** Random conversations in the protocol: simple and extended, inside and outside of transactions, valid and invalid. */
import type { Random } from './random.ts';
import { b, c, d, e, h, p, q, run, s } from './wire-script.ts';

export const pipelineSchema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, amount int CHECK (amount >= 0));
CREATE TABLE part (id int PRIMARY KEY, item int NOT NULL REFERENCES item DEFERRABLE INITIALLY DEFERRED);
INSERT INTO item SELECT g, 'item ' || g, g * 10 FROM generate_series(1, 8) g;
INSERT INTO part SELECT g, g FROM generate_series(1, 4) g;
`;

/** Statements whose results do not depend on the order in which rows are stored. */
const reads = [
  'SELECT 1',
  'SELECT id, name, amount FROM item ORDER BY id',
  'SELECT count(*), sum(amount) FROM item',
  'SELECT g FROM generate_series(1, 5) g',
  'SELECT i.id, p.id FROM item i JOIN part p ON p.item = i.id ORDER BY 1, 2',
  '/* words */ SELECT id FROM item ORDER BY id LIMIT 2 -- and more',
  'TABLE part ORDER BY id',
  'VALUES (1, NULL), (2, $$x$$)',
  'SHOW standard_conforming_strings',
  '',
];

const wrongReads = [
  'SELECT 1/0',
  'SELECT nowhere FROM item',
  'SELECT * FROM nowhere',
  'SELEC 1',
  'SELECT 1/(id - id) FROM item',
];

const controls = [
  'BEGIN',
  'BEGIN',
  'BEGIN ISOLATION LEVEL REPEATABLE READ',
  'START TRANSACTION',
  'COMMIT',
  'COMMIT',
  'END',
  'ROLLBACK',
  'ROLLBACK',
  'SAVEPOINT a',
  'SAVEPOINT b',
  'RELEASE a',
  'ROLLBACK TO a',
  'ROLLBACK TO b',
  'COMMIT AND CHAIN',
  'SET LOCAL statement_timeout = 60000',
  'SET application_name = one',
  'SET application_name = two',
  'PREPARE sqlread AS SELECT id FROM item WHERE id = $1',
  'EXECUTE sqlread(2)',
  'DEALLOCATE sqlread',
  'DECLARE walk CURSOR FOR SELECT id FROM item ORDER BY id',
  'FETCH 2 FROM walk',
  'CLOSE walk',
];

function write(random: Random): string {
  const id = random.below(12);
  const other = random.below(12);
  return random.pick([
    `INSERT INTO item (id, name, amount) VALUES (${id}, 'new ${id}', ${other})`,
    `INSERT INTO item VALUES (${id}, 'ret', NULL) RETURNING *`,
    `INSERT INTO part VALUES (${id}, ${other})`,
    `UPDATE item SET amount = amount + 1 WHERE id = ${id} RETURNING id, amount`,
    `UPDATE item SET name = 'all', amount = amount + 1`,
    `UPDATE item SET amount = amount - ${other * 10} WHERE id = ${id}`,
    `UPDATE item SET name = NULL WHERE id = ${id}`,
    `DELETE FROM item WHERE id = ${id}`,
    `DELETE FROM part WHERE item = ${id} RETURNING id`,
    `WITH gone AS (DELETE FROM part WHERE id = ${id} RETURNING item) SELECT count(*) FROM gone`,
    `UPDATE item SET amount = amount + 1 WHERE amount > ${other * 10}`,
    `UPDATE item SET amount = amount + abs(10 / (id - ${id})) WHERE id > ${other}`,
    `DELETE FROM part WHERE id > ${id}`,
    `INSERT INTO part SELECT id + ${id}, item FROM part ORDER BY id`,
    `INSERT INTO item SELECT 1 / (id - id) FROM item`,
    `UPDATE nowhere SET id = 1`,
    `UPDATE item SET nowhere = 1`,
    'PREPARE sqlwrite(int) AS UPDATE item SET amount = amount + 1 WHERE id = $1 RETURNING id, amount',
    `EXECUTE sqlwrite(${id})`,
    'DEALLOCATE sqlwrite',
  ]);
}

function statement(random: Random, writes: boolean): string {
  const kind = random.below(10);
  if (kind < 4) return random.pick(reads);
  if (kind < 5) return random.pick(wrongReads);
  if (kind < 7 || !writes) return random.pick(writes ? controls : [...controls, 'BEGIN READ ONLY']);
  return write(random);
}

/**
 * Returns a statement for a batch, without the modes of BEGIN, SET and DECLARE. The proxy completes what precedes a BEGIN or a write in the
 * same batch. So it begins a transaction where PostgreSQL finds it too late for its modes, and a SET or a cursor before it does not belong
 * to that transaction.
 */
function batchStatement(random: Random, writes: boolean): string {
  return statement(random, writes)
    .replace(/^(BEGIN|START TRANSACTION)\b.*/, '$1')
    .replace(/^(SET|DECLARE)\b.*/, 'SHOW application_name');
}

export function simple(random: Random, writes: boolean): Buffer {
  const count = random.chance(0.3) ? 2 + random.below(3) : 1;
  return q(Array.from({ length: count }, () => statement(random, writes)).join('; '));
}

/** Returns a few messages that belong together, without Sync. */
export function steps(random: Random, writes: boolean): Buffer[] {
  const id = String(random.below(12));
  const update = 'UPDATE item SET amount = amount + $2::int WHERE id = $1 RETURNING id, amount';
  const all = [
    () => [run(batchStatement(random, writes))],
    () => [run(batchStatement(random, writes))],
    () => [run(batchStatement(random, writes)), h],
    () => [run('SELECT name FROM item WHERE id = $1', id)],
    () => [p('SELECT id FROM item ORDER BY id'), b(), e(2), e(3), d(), e()],
    () => [p('SELECT $1::int', 'kept'), d('statement', 'kept')],
    () => [b([id], 'kept'), d(), e()],
    () => [b(['word'], 'kept'), d(), e()],
    () => [b([], 'kept')],
    () => [c('statement', 'kept')],
    () => [c('portal', 'nowhere')],
    () => [e(0, 'nowhere')],
    () => [d('statement', 'nowhere')],
  ];
  const writing = [
    () => [run(update, id, '1')],
    () => [run(update, id, null)],
    () => [p(update, 'writes', [23]), d('statement', 'writes')],
    () => [b([id, '-100'], 'writes'), d(), e()],
    () => [b([id, '1'], 'writes', 'open'), e(1, 'open'), e(1, 'open'), c('portal', 'open')],
    () => [c('statement', 'writes')],
    () => [run(`INSERT INTO item VALUES ($1, $2, 5)`, id, `bound ${id}`)],
    () => [run('UPDATE item SET amount = amount + $1 WHERE id > $2', '2', id)],
    () => [run('DELETE FROM part WHERE id > $1', id)],
    () => [run('INSERT INTO part SELECT id + $1, item FROM part ORDER BY id', id)],
    () => [p('UPDATE item SET name = $1 WHERE amount > $2', 'many'), d('statement', 'many')],
    () => [b(['many', `${id}0`], 'many'), d(), e()],
  ];
  return random.pick(writes ? [...all, ...writing] : all)();
}

function extended(random: Random, writes: boolean): Buffer[] {
  const count = random.chance(0.5) ? 1 : 1 + random.below(5);
  const messages: Buffer[] = [];
  for (let step = 0; step < count; step += 1) messages.push(...steps(random, writes));
  return [...messages, s];
}

/** Returns a conversation of `batches` batches. It ends a failed transaction now and then. */
export function randomPipeline(random: Random, batches: number, writes: boolean): Buffer[] {
  const messages: Buffer[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    if (random.chance(0.1)) messages.push(q('ROLLBACK'));
    if (random.chance(0.5)) messages.push(simple(random, writes));
    else messages.push(...extended(random, writes));
  }
  return [...messages, q('ROLLBACK')];
}
