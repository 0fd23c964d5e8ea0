/** What production said when it refused an approval, as an error for the user. */
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

/** Facts of a refusal as stage.apply_session gives them. */
export interface ProductionRefusal {
  readonly sqlstate: string;
  readonly message: string;
  readonly detail: string | null;
  readonly table: string | null;
  readonly constraint: string | null;
  /** The row_id, where the refused statement was about one row. */
  readonly row: string | number | Readonly<Record<string, string | number>> | null;
}

/** Serialization failure and deadlock: another try may go through. */
const transient = new Set(['40001', '40P01']);

/** A lock or the whole approval took longer than it may. */
const outOfTime = new Set(['55P03', '57014']);

/** Makes the error of a refusal. */
export function applyFailed(refusal: ProductionRefusal, cause?: unknown): StageError {
  const { sqlstate, message, detail, table, constraint, row } = refusal;
  return new StageError('apply_failed', `production refused the changes: ${message}`, {
    hint: hintFor(sqlstate),
    ...(detail === null ? {} : { detail }),
    facts: { sqlstate, table, constraint, row, ...(detail === null ? {} : { detail }) },
    cause,
  });
}

/** Whether another try may succeed where this error ended one. */
export function isTransient(error: unknown): boolean {
  const state = error instanceof StageError ? error.facts['sqlstate'] : sqlstateOf(error);
  return typeof state === 'string' && transient.has(state);
}

/** Turns what PostgreSQL raised while rows were being locked into an error for the user; leaves other errors as they are. */
export function explainFailure(error: unknown): unknown {
  const sqlstate = sqlstateOf(error);
  if (error instanceof StageError || sqlstate === undefined) return error;
  if (!transient.has(sqlstate) && !outOfTime.has(sqlstate)) return error;
  const message = (error as Error).message;
  return applyFailed(
    { sqlstate, message, detail: null, table: null, constraint: null, row: null },
    error,
  );
}

function hintFor(sqlstate: string): string {
  if (transient.has(sqlstate) || outOfTime.has(sqlstate))
    return 'Nothing was applied. Other transactions are in the way; try again.';
  return 'Nothing was applied. Reject the session and stage changes that production accepts.';
}
