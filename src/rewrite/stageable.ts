/** Checks whether the relations of a statement can take part in a staged statement. */
import { StageError } from '../errors.ts';
import { harmfulInDefinition } from '../sql/functions/functions.ts';
import type { RelationUse } from '../sql/places.ts';
import type { Read } from '../sql/read.ts';
import type { ResolvedName } from './resolved-name.ts';

/** A name in a statement, with its meaning. */
export interface Named {
  readonly use: RelationUse;
  readonly meaning: ResolvedName;
}

/** Pairs names with their meanings, which are in the same order. */
export function withMeanings(
  relations: readonly RelationUse[],
  meanings: readonly ResolvedName[],
): Named[] {
  return relations.map((use, index) => ({ use, meaning: meanings[index] as ResolvedName }));
}

/** Returns the meaning of the name that begins at `target`. */
export function meaningAt(named: readonly Named[], target: number): ResolvedName {
  const found = named.find(({ use }) => use.start === target);
  if (found === undefined) throw new Error('a clause belongs to no target');
  return found.meaning;
}

/** Returns the error for a relation that a write cannot name in that place of the statement; null for others. */
export function obstacleToWrite(named: Named): StageError | null {
  return obstacleToTarget(named) ?? obstacleToOnly(named);
}

/** Returns the error for a relation that cannot be written to; null for others. */
export function obstacleToTarget({ use, meaning }: Named): StageError | null {
  const isCodeless = meaning.kind === 'view' && meaning.writing !== 'code';
  const obstacle = use.target === null || isCodeless ? undefined : targetObstacles[meaning.kind];
  if (obstacle === undefined) return null;
  return new StageError('statement_not_supported', obstacle.message(use.name), {
    hint: obstacle.hint,
  });
}

/** Returns whether PostgreSQL itself must report the error in a target: no relation has its name, or it is a view that takes no rows. */
export function isError({ use, meaning }: Named): boolean {
  return meaning.oid === null || (use.target !== null && meaning.writing === 'error');
}

/** Returns PostgreSQL's error for a COPY into a view that takes no rows, or null. PostgreSQL reports it only after requesting the data. */
export function errorOfCopy({ use, meaning }: Named): StageError | null {
  if (meaning.kind !== 'view' || meaning.writing !== 'error') return null;
  return new StageError('statement_not_supported', `cannot copy to view "${use.name}"`, {
    sqlstate: '42809',
    hint: 'To enable copying to a view, provide an INSTEAD OF INSERT trigger.',
  });
}

interface Obstacle {
  readonly message: (name: string) => string;
  readonly hint: string;
}

const targetObstacles: Readonly<Partial<Record<ResolvedName['kind'], Obstacle>>> = {
  view: {
    message: (name) =>
      `cannot stage writes to view "${name}", because triggers or rules carry them out`,
    hint: 'Write to the tables behind the view.',
  },
  materialized: {
    message: (name) => `cannot stage writes to materialized view "${name}"`,
    hint: 'Write to the tables behind the view.',
  },
  foreign: {
    message: (name) => `cannot stage writes to foreign table "${name}"`,
    hint: 'Its rows are in another database: review such a change in a session there.',
  },
  sequence: {
    message: (name) => `cannot stage writes to sequence "${name}"`,
    hint: 'A sequence is advanced by nextval(), and defined by a migration.',
  },
  system: {
    message: (name) => `cannot stage writes to system catalog "${name}"`,
    hint: 'Catalogs are changed by DDL, in a migration.',
  },
  stage: {
    message: (name) => `"${name}" belongs to the staging service`,
    hint: 'Only the service writes to its own tables.',
  },
  other: {
    message: (name) => `cannot stage writes to "${name}"`,
    hint: 'Only tables, and views over them, have rows that can be staged.',
  },
};

/** Returns the error for ONLY of a partitioned table, or null. In PostgreSQL it has no rows; its overlay has those of all partitions. */
function obstacleToOnly({ use, meaning }: Named): StageError | null {
  if (!use.only || meaning.kind !== 'partitioned') return null;
  return new StageError(
    'statement_not_supported',
    `cannot use ONLY "${use.name}" where staged rows are read or written`,
    { hint: 'A partitioned table has no rows of its own: leave ONLY out.' },
  );
}

/** Returns whether a table is used together with its children. */
export const hasChildren = ({ meaning }: Named) => 'tree' in meaning.standIn.verify;

/**
 * Checks for orphaned rows.
 * @throws StageError if the rows that the session staged in the table, or behind it, can no longer be shown there
 */
export function checkParked({ use, meaning }: Named): void {
  if (!meaning.parked) return;
  const isRead = meaning.standIn.madeAs === 'staged view';
  throw parkedBehind(isRead ? `what "${use.name}" reads` : `"${use.name}"`);
}

/** Returns the error for reading a table with orphaned rows. */
export function parkedBehind(changed: string): StageError {
  return new StageError(
    'statement_not_supported',
    `a change of ${changed} has made rows ambiguous that this session staged before`,
    {
      sqlstate: '55006',
      hint: 'Check the conflicts of the session, reject it, and stage the changes in a new one.',
    },
  );
}

/** Checks a relation of a read. @throws StageError as `obstacleToOnly` and `checkVisible` */
export function checkReadable(named: Named, { copy }: Read): void {
  const obstacle = copy ? null : obstacleToOnly(named);
  if (obstacle) throw obstacle;
  checkVisible(named);
}

/**
 * Checks that the stand-in is visible.
 * @throws StageError if it was just created, and the transaction's snapshot is older
 */
function checkVisible({ meaning }: Named): void {
  if (!meaning.standIn.isHidden) return;
  throw tableChanged;
}

/**
 * Checks the relations of a staged statement. Returns the tables to which it writes.
 * @throws StageError as `checkVisible` and `checkDefinition`
 */
export function checkedTables(named: readonly Named[], allowed: readonly string[]): number[] {
  for (const each of named) checkTarget(each, allowed);
  return named.flatMap(({ use, meaning }) => (use.target === null ? [] : (meaning.table ?? [])));
}

function checkTarget(named: Named, allowed: readonly string[]): void {
  checkVisible(named);
  checkDefinition(named, allowed);
}

/**
 * Checks the calls in a table's definition, which the statement does not name.
 * @throws StageError if staging its rows would call a function with effects
 */
function checkDefinition({ use, meaning }: Named, allowed: readonly string[]): void {
  if (use.target === null || use.target === 'DELETE') return;
  const called = harmfulInDefinition(meaning.calls, allowed);
  // guard: calls in the definition of a table are checked like calls of a statement
  if (called === null) return;
  throw new StageError(
    'statement_not_supported',
    `cannot stage writes to "${use.name}": its definition calls ${called.name}()`,
    {
      hint: 'Take the call out of its defaults, checks, policies and domains, or have the function added to allow_functions in the configuration of the service.',
    },
  );
}

/** The error for an outdated snapshot: only a later transaction can see the table's current definition. */
export const tableChanged = new StageError(
  'statement_not_supported',
  'could not serialize access due to a concurrent change of a table',
  { sqlstate: '40001', hint: 'The transaction might succeed if retried.' },
);

/** The error for writes on a connection whose search path hides PostgreSQL's own names. */
export const hiddenCatalog = new StageError(
  'statement_not_supported',
  'cannot stage writes while a schema comes before pg_catalog in the search path',
  { hint: 'Leave pg_catalog out of search_path, or put it first.' },
);
