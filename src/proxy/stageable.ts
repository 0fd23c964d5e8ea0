/** Whether what a name stands for can take part in a staged statement. */
import { StageError } from '../errors.ts';
import type { RelationUse } from '../sql/verdict.ts';
import type { ResolvedName } from './names.ts';

/** A name in a statement, with what it stands for. */
export interface Named {
  readonly use: RelationUse;
  readonly meaning: ResolvedName;
}

/** @throws StageError when the relation cannot take part in a staged write */
export function checkStageable({ use, meaning }: Named): void {
  const obstacle =
    use.target === null ? sourceObstacles[meaning.kind] : targetObstacles[meaning.kind];
  if (obstacle === undefined) return;
  throw new StageError('statement_not_supported', `${obstacle.message(use.name)}`, {
    hint: obstacle.hint,
  });
}

interface Obstacle {
  readonly message: (name: string) => string;
  readonly hint: string;
}

const outside = 'Its changes have to be made outside of this session.';

const targetObstacles: Readonly<Partial<Record<ResolvedName['kind'], Obstacle>>> = {
  view: {
    message: (name) => `cannot stage writes to view "${name}"`,
    hint: 'Write to the tables behind the view.',
  },
  foreign: { message: (name) => `cannot stage writes to foreign table "${name}"`, hint: outside },
  sequence: { message: (name) => `cannot stage writes to sequence "${name}"`, hint: outside },
  system: { message: (name) => `cannot stage writes to system catalog "${name}"`, hint: outside },
  stage: {
    message: (name) => `"${name}" belongs to the staging service`,
    hint: 'The service writes its own tables by itself.',
  },
  temporary: {
    message: (name) => `cannot stage writes to temporary table "${name}"`,
    hint: 'Temporary tables are not for a reviewer to see: use a permanent table.',
  },
  other: { message: (name) => `cannot stage writes to "${name}"`, hint: outside },
};

const sourceObstacles: typeof targetObstacles = {
  view: {
    message: (name) => `cannot read view "${name}" in a staged write`,
    hint: 'It would show production without what is staged: name the tables behind the view.',
  },
};

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
export function checkOverlay({ use, meaning }: Named): void {
  if (!meaning.stale && (use.target === null || meaning.overlay !== null)) return;
  throw new StageError(
    'statement_not_supported',
    'could not serialize access due to a concurrent change of a table',
    { sqlstate: '40001', hint: 'The transaction might succeed if retried.' },
  );
}
