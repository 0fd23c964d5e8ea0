/** A trial: production applies a session after a change of its staged rows, and rolls it back. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { lockTouchedRows } from '../conflicts.ts';
import { reviewRelations } from '../current-overlays.ts';
import type { ProductionRefusal } from '../decisions/apply-failed.ts';
import { InTheWay } from '../lock-budget.ts';
import { withinTime } from './rehearsal-transaction.ts';

export interface Trial {
  /** Changes the staged rows, in the current transaction. */
  readonly change: () => Promise<unknown>;
  /** How long production may take; null for no trial. */
  readonly trialMs: number | null;
  /** Whether messages of a refusal are left out: triggers may report anything. */
  readonly readableOnly?: boolean;
}

/**
 * Changes a session's staged rows. If production would have accepted the session before, it must accept it after the change, too. If it
 * would have refused the session before, the change is not checked.
 * @throws StageError `not_unstageable` with production's refusal, `took_too_long`
 */
export async function demandAcceptable(
  db: Database,
  tx: Queryable,
  uuid: string,
  { change, trialMs, readableOnly = false }: Trial,
): Promise<void> {
  await tx.query('SAVEPOINT before_change');
  await change();
  if (trialMs === null) return;
  const refusal = await attempt(db, tx, uuid, trialMs);
  if (refusal === null) return;
  await tx.query('ROLLBACK TO SAVEPOINT before_change');
  // guard: production accepts the rest of a session if it would have accepted all
  if ((await attempt(db, tx, uuid, trialMs)) === null) throw refused(refusal, readableOnly);
  await change();
}

/** Applies the session and rolls it back. Returns production's refusal. */
async function attempt(
  db: Database,
  tx: Queryable,
  uuid: string,
  limitMs: number,
): Promise<ProductionRefusal | null> {
  await tx.query('SAVEPOINT trial');
  const refusal = await withinTime(db, tx, limitMs, async (limited) => {
    await lockTouchedRows(limited, uuid, await reviewRelations(limited, uuid));
    const [row] = await limited.query('SELECT stage.rehearse_session($1) AS failure', [uuid]);
    return JSON.parse(row?.['failure'] ?? 'null') as ProductionRefusal | null;
  });
  await tx.query('ROLLBACK TO SAVEPOINT trial');
  if (refusal !== null && InTheWay.has(refusal.sqlstate))
    throw new InTheWay(refusal.sqlstate, refusal.message);
  return refusal;
}

function refused(refusal: ProductionRefusal, readableOnly: boolean): StageError {
  const { sqlstate, message, table, constraint } = refusal;
  const shown = readableOnly ? `SQLSTATE ${sqlstate}` : message;
  return new StageError(
    'not_unstageable',
    `production would refuse what is left of the session: ${shown}`,
    {
      hint: 'Take out what is in the way, too: `stage diff` shows what is staged.',
      facts: { sqlstate, table, constraint, row: readableOnly ? null : refusal.row },
    },
  );
}
