/** Random transactions: isolation levels, savepoints, cursors and constraint modes between the statements. */
import type { Random } from '../helpers/random.ts';
import { orderedRead } from './reads.ts';
import type { Schema } from './schema.ts';
import type { Statement } from './statement.ts';
import { createWriter, plainStatement } from './statement.ts';

const beginnings = [
  'BEGIN',
  'BEGIN',
  'START TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  'BEGIN ISOLATION LEVEL SERIALIZABLE',
  'BEGIN READ ONLY',
  'BEGIN ISOLATION LEVEL REPEATABLE READ, READ WRITE, NOT DEFERRABLE',
];

const savepoints = [
  'SAVEPOINT a',
  'ROLLBACK TO a',
  'RELEASE a',
  'SAVEPOINT "B"',
  'ROLLBACK TO SAVEPOINT "B"',
];

const endings = [
  'COMMIT',
  'COMMIT',
  'COMMIT',
  'END',
  'ROLLBACK',
  'ABORT',
  'COMMIT AND CHAIN',
  'ROLLBACK AND CHAIN',
];

const forward = [
  'FETCH 2 FROM c',
  'FETCH NEXT FROM c',
  'FETCH ALL FROM c',
  'MOVE 1 IN c',
  'CLOSE c',
];
const back = [...forward, 'FETCH PRIOR FROM c'];

/** By what DECLARE says of scrolling; where it says nothing, the plan decides whether a cursor can go back. */
const fetches: Readonly<Record<string, readonly string[]>> = {
  '': forward,
  'SCROLL ': back,
  'NO SCROLL ': back,
};

/** A transaction around statements that `single` makes. */
export function transaction(
  random: Random,
  schema: Schema,
  major: number,
  single: () => Statement,
): Statement[] {
  const begin = random.pick(beginnings);
  // the lock is not taken, and so not missed there
  const next = () => (begin.includes('READ ONLY') ? withoutLock(single()) : single());
  const oneOf = (texts: readonly string[]) => plainStatement(random.pick(texts));
  const scroll = random.chance(0.2) ? random.pick(Object.keys(fetches)) : null;
  const between = () => [
    ...(random.chance(0.35) ? [oneOf(savepoints)] : []),
    ...(random.chance(0.12) ? [constraintModes(random, schema)] : []),
    ...(scroll !== null && random.chance(0.6) ? [oneOf(fetches[scroll] ?? [])] : []),
  ];
  const statements = Array.from({ length: 1 + random.below(7) }, next)
    // that a cursor still reads the table is not known to what stands for TRUNCATE
    .filter(({ text }) => scroll === null || !text.startsWith('TRUNCATE'));
  const end = oneOf(endings);
  return [
    plainStatement(begin),
    ...(random.chance(0.5) ? [plainStatement('SAVEPOINT a')] : []),
    ...(scroll === null ? [] : [cursor(random, schema, major, scroll)]),
    ...statements.flatMap((statement) => [statement, ...between()]),
    end,
    ...(end.text.endsWith('CHAIN') ? [next(), plainStatement('COMMIT')] : []),
  ];
}

const withoutLock = (statement: Statement): Statement => ({
  ...statement,
  text: statement.text.replace(/ FOR (UPDATE|SHARE)$/, ''),
});

function cursor(random: Random, schema: Schema, major: number, scroll: string): Statement {
  const writer = createWriter(random, schema, major, null);
  const query = orderedRead(writer, random.pick(schema.tables));
  return plainStatement(`DECLARE c ${scroll}CURSOR FOR ${query}`);
}

function constraintModes(random: Random, { tables }: Schema): Statement {
  const names = tables.flatMap(({ foreignKeys }) => foreignKeys.map(({ name }) => name));
  const which = names.length > 0 && random.chance(0.4) ? random.pick(names) : 'ALL';
  return plainStatement(`SET CONSTRAINTS ${which} ${random.pick(['DEFERRED', 'IMMEDIATE'])}`);
}
