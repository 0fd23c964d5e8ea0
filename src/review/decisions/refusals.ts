/** Refusals of an approval because of what is staged, or of what production has by now. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import type { ConflictRules } from '../conflicts.ts';
import { conflictFacts, counts, detectConflicts, lockTouchedRows } from '../conflicts.ts';
import type { RefuseOutdated } from '../current-overlays.ts';
import { reviewRelations } from '../current-overlays.ts';

/** Refuses a session with rows that were staged after its proposal. @throws StageError `staged_after_proposal` */
export async function refuseLateRows(
  tx: Queryable,
  { uuid, sealed }: LockedSession,
): Promise<void> {
  const [row] = await tx.query('SELECT stage.staged_since($1, $2) AS late', [uuid, sealed]);
  // guard: rows that were staged after the proposal are not approved
  if (row?.['late'] !== 't') return;
  throw new StageError(
    'staged_after_proposal',
    'rows were staged in the session after it was proposed: somebody went around the proxy',
    {
      hint: 'Reject the session, and check who can connect to the database directly.',
    },
  );
}

/** Locks the rows that the session touched, and returns the ignored conflicts. @throws StageError `conflict_detected` for others */
export async function refuseConflicts(
  tx: Queryable,
  session: LockedSession,
  { ignoredColumns }: ConflictRules,
  refuse: RefuseOutdated,
): Promise<readonly Conflict[]> {
  const relations = await reviewRelations(tx, session.uuid);
  refuse(relations);
  const { uuid, conflictScope } = session;
  const lockedTables = await lockTouchedRows(tx, uuid, relations);
  const compared = { conflictScope, ignoredColumns };
  const found = await detectConflicts(tx, uuid, relations, compared, lockedTables);
  const conflicts = found.filter(counts);
  if (conflicts.length === 0) return found;
  const changed = conflicts.filter(({ reason }) => reason !== undefined);
  const reasons = changed.slice(0, 3).map(placedReason);
  const others = changed.length > 3 ? [`${changed.length - 3} more changes of tables`] : [];
  const message = ['production data changed since the session started', ...reasons, ...others];
  throw new StageError('conflict_detected', message.join('; '), {
    hint:
      changed.length === 0
        ? 'Settle them: stage reopen, stage resolve, stage propose. Or reject the session, and create a new one: it starts from production as it is now.'
        : 'Reject the session, create a new one, and stage the changes anew for the tables as they are now.',
    facts: { conflicts: conflicts.map(conflictFacts) },
  });
}

/** Describes a change of a table, with the table's name. */
function placedReason({ table, field, reason }: Conflict): string {
  return `${table}${field === null ? '' : ` ${field}`}: ${reason}`;
}

export function digestMismatch(current: string): StageError {
  return new StageError('digest_mismatch', 'the diff is not the one that was reviewed', {
    hint: 'Read the diff again, and approve with its new digest.',
    facts: { digest: current },
  });
}
