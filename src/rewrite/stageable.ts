/** Whether what a name stands for can take part in a staged statement. */
import { StageError } from '../errors.ts';
import type { RelationUse } from '../sql/verdict.ts';
import type { Tree } from './inheritance.ts';
import type { ResolvedName } from './relation-names.ts';

/** A name in a statement, with what it stands for. */
export interface Named {
  readonly use: RelationUse;
  readonly meaning: ResolvedName;
}

/** Names and what they stand for, in the same order. */
export function withMeanings(
  relations: readonly RelationUse[],
  meanings: readonly ResolvedName[],
): Named[] {
  return relations.map((use, index) => ({ use, meaning: meanings[index] as ResolvedName }));
}

/** Gives the error for a relation that a write cannot name, in its place in the statement; null for the others. */
export function obstacleToWrite(named: Named): StageError | null {
  return obstacleToTarget(named) ?? obstacleToOnly(named);
}

/** Gives the error for a relation that cannot be written to; null for the others. */
export function obstacleToTarget({ use, meaning }: Named): StageError | null {
  const isCodeless = meaning.kind === 'view' && meaning.writing !== 'code';
  const obstacle = use.target === null || isCodeless ? undefined : targetObstacles[meaning.kind];
  if (obstacle === undefined) return null;
  return new StageError('statement_not_supported', obstacle.message(use.name), {
    hint: obstacle.hint,
  });
}

/** Whether PostgreSQL itself has to say what is wrong with the target: no relation has its name, or it is a view that takes no rows. */
export function isError({ use, meaning }: Named): boolean {
  return meaning.oid === null || (use.target !== null && meaning.writing === 'error');
}

/** PostgreSQL's error for a COPY into a view that takes no rows, which it would tell only after asking for the data; else null. */
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

const outside = 'Change it directly on the database, outside of the session.';

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
  foreign: { message: (name) => `cannot stage writes to foreign table "${name}"`, hint: outside },
  sequence: { message: (name) => `cannot stage writes to sequence "${name}"`, hint: outside },
  system: { message: (name) => `cannot stage writes to system catalog "${name}"`, hint: outside },
  stage: {
    message: (name) => `"${name}" belongs to the staging service`,
    hint: 'Only the service writes to its own tables.',
  },
  temporary: {
    message: (name) => `cannot stage writes to temporary table "${name}"`,
    hint: 'A reviewer cannot see temporary tables. Use a permanent table.',
  },
  other: { message: (name) => `cannot stage writes to "${name}"`, hint: outside },
};

/** Gives the error for ONLY of a partitioned table: in PostgreSQL it has no rows, its overlay has those of all partitions. */
export function obstacleToOnly({ use, meaning }: Named): StageError | null {
  if (!use.only || meaning.kind !== 'partitioned') return null;
  return new StageError(
    'statement_not_supported',
    `cannot look at ONLY "${use.name}" with what is staged`,
    { hint: 'A partitioned table has no rows of its own: leave ONLY out.' },
  );
}

/**
 * The view of a table and its children, where the name stands for all of them: not behind ONLY, nor where rows are put in.
 * Null for every other relation.
 */
export function treeOf({ use, meaning }: Named): Tree | null {
  return use.only || use.target === 'INSERT' ? null : meaning.tree;
}

/** The view that takes the relation's place; null where production's own rows are all there is to see. */
export function viewOf(each: Named): { readonly schema: string; readonly name: string } | null {
  const tree = treeOf(each);
  if (tree === null) return each.meaning.overlay;
  return tree.signature === null ? null : tree;
}

/** Whether a relation is read through a staged view, or together with its children; as a target it is refused when its overlay is asked for. */
export function isStagedViewSource(each: Named): boolean {
  const { use, meaning } = each;
  const { kind } = meaning;
  const isStagedView = meaning.isStagedView || treeOf(each) !== null;
  return isStagedView && use.target === null && !['system', 'stage', 'temporary'].includes(kind);
}

/**
 * Whether a relation's overlay or staged view has to be made, or made anew.
 * @param areSuspect overlays may not fit their tables although nothing tells so
 */
export function isLacking(each: Named, areSuspect: boolean): boolean {
  const { use, meaning } = each;
  const tree = treeOf(each);
  if (isStagedViewSource(each)) {
    return meaning.stale || (tree === null ? meaning.overlay === null : isMissing(tree));
  }
  const isTarget = use.target !== null;
  // a view without an overlay of this table was made for another one that bore its name
  const isForeign = meaning.overlay !== null && meaning.signature === '' && !meaning.isStagedView;
  const isPart = tree !== null && (isMissing(tree) || tree.signature === null || !tree.writable);
  const isUsable = meaning.writable && meaning.overlay !== null && !isPart;
  return meaning.stale || isForeign || (isTarget && (areSuspect || !isUsable));
}

const isMissing = ({ stale, signature }: Tree) => stale || signature === '';

/** @throws StageError when what the session staged in the table cannot be shown there any more */
export function checkParked({ use, meaning }: Named): void {
  if (!meaning.parked) return;
  throw new StageError(
    'statement_not_supported',
    `a change of "${use.name}" has made rows ambiguous that this session staged before`,
    {
      sqlstate: '55006',
      hint: 'Look at the conflicts of the session, reject it, and stage the changes in a new one.',
    },
  );
}

/** @throws StageError when the overlay just made cannot be seen: the transaction's snapshot is older */
export function checkOverlay(each: Named): void {
  const { use, meaning } = each;
  const isTarget = use.target !== null;
  const tree = treeOf(each);
  const isLeft = tree !== null && (tree.stale || (isTarget && tree.signature === null));
  const needsOverlay = isTarget || (isStagedViewSource(each) && tree === null);
  if (!meaning.stale && !isLeft && (!needsOverlay || meaning.overlay !== null)) return;
  throw new StageError(
    'statement_not_supported',
    'could not serialize access due to a concurrent change of a table',
    { sqlstate: '40001', hint: 'The transaction might succeed if retried.' },
  );
}
