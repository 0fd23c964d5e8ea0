/** Rehearse: applies a session to production as approval would, reports the effects, and rolls everything back. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { Failure, Rehearsal } from '../../model/rehearsal.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import type { ConflictRules } from '../conflicts.ts';
import { counts, detectConflicts, lockTouchedRows, withhold } from '../conflicts.ts';
import type { RefuseOutdated } from '../current-overlays.ts';
import { onCurrentOverlays, reviewRelations } from '../current-overlays.ts';
import type { ProductionRefusal } from '../decisions/apply-failed.ts';
import { refusedRow } from '../decisions/apply-failed.ts';
import { refuseLateRows } from '../decisions/refusals.ts';
import { digestOf } from '../diff/diff-tables.ts';
import { InTheWay, withinBudget, yieldFirst } from '../lock-budget.ts';
import type { RowsInConflict } from '../looks.ts';
import { noteConflicts, noteRehearsal, rowsInConflict } from '../looks.ts';
import { shownDifferences } from '../trigger-differences.ts';
import type { EffectRules, Effects } from './rehearsal-effects.ts';
import { rememberBefore } from './rehearsal-effects.ts';
import { inRehearsal } from './rehearsal-transaction.ts';
import { readWarnings } from './rehearsal-warnings.ts';

/**
 * `scanRows`: tables with more rows are not compared. `readableOnly`: only counts are returned for tables that a role that staged in the
 * session may not read.
 */
export interface RehearsalRules extends EffectRules, ConflictRules {
  /** How long it may take, including everything that it triggers. */
  readonly timeoutMs: number;
  /** Whether unexpected differences of triggers would stop an approval. */
  readonly refuseDifferences?: boolean;
  /** The total time that it may wait for locks of others. */
  readonly lockTimeoutMs: number;
}

/**
 * Rehearses the approval of a session that is not final. Only effects outside of transactions remain: numbers that were drawn from
 * sequences, and external effects of triggers; and for briefs, whether it succeeded, and how many rows are in conflict. Meanwhile it holds the locks of an approval, except that of the audit.
 * @throws StageError `session_not_found`, `invalid_transition`, `session_busy`, `staged_after_proposal`, `took_too_long`, or `busy` when
 * others hold what it needs
 */
export async function rehearseSession(
  db: Database,
  id: string,
  rules: RehearsalRules,
): Promise<Rehearsal> {
  const seen = await getSession(db, id);
  const { rehearsal, rows } = await withinBudget(rules.lockTimeoutMs, () =>
    onCurrentOverlays(db, sessionUuid(id), (refuse) =>
      inRehearsal(db, rules.timeoutMs, (tx) => rehearseLocked(tx, id, rules, refuse)),
    ),
  );
  await noteConflicts(db, seen, rows);
  if (succeeded(rehearsal)) await noteRehearsal(db, seen);
  return rehearsal;
}

/** Whether nothing stands in the way of an approval. */
export const succeeded = ({ conflicts, failure, isStopped }: Rehearsal): boolean =>
  !conflicts.some(counts) && failure === null && !isStopped;

interface Rehearsed {
  readonly rehearsal: Rehearsal;
  readonly rows: RowsInConflict;
}

async function rehearseLocked(
  tx: Queryable,
  id: string,
  rules: RehearsalRules,
  refuse: RefuseOutdated,
): Promise<Rehearsed> {
  const session = await lockSession(tx, id);
  requireTransition(session, 'rehearse');
  if (session.status === 'proposed') await refuseLateRows(tx, session);
  await tx.query('DISCARD PLANS');
  await yieldFirst(tx);
  // locks come first: a production row that is written between the snapshot and its lock ends the attempt
  // guard: a rehearsal locks the rows before it reads staged rows
  const { shown: conflicts, rows } = await findConflicts(tx, session, rules, refuse);
  const digest = await digestOf(tx, session.uuid);
  if (rows.length > 0) return { rehearsal: withoutOutcome(digest, { conflicts }), rows };
  const readEffects = await rememberBefore(tx, session.uuid, rules);
  const failure = await apply(tx, session.uuid, rules);
  const seen = withoutOutcome(digest, { conflicts, failure });
  if (failure !== null) return { rehearsal: seen, rows };
  const effects = await readEffectsAround(tx, session.uuid, rules, await readEffects());
  return { rehearsal: { ...seen, ...effects }, rows };
}

function withoutOutcome(
  digest: string,
  { conflicts = [], failure = null }: { conflicts?: Conflict[]; failure?: Failure | null },
): Rehearsal {
  const unknown = { wouldLand: null, differs: null, sideEffects: null };
  const differences = { triggerDifferences: null, isStopped: false };
  return { digest, conflicts, failure, ...unknown, ...differences, warnings: [] };
}

async function findConflicts(
  tx: Queryable,
  { uuid, conflictScope }: LockedSession,
  { readableOnly, ignoredColumns }: RehearsalRules,
  refuse: RefuseOutdated,
): Promise<{ readonly shown: Conflict[]; readonly rows: RowsInConflict }> {
  const relations = await reviewRelations(tx, uuid);
  refuse(relations);
  const lockedTables = await lockTouchedRows(tx, uuid, relations);
  const compared = { conflictScope, ignoredColumns };
  const found = await detectConflicts(tx, uuid, relations, compared, lockedTables);
  const shown = readableOnly ? await withhold(tx, uuid, found) : found;
  return { shown, rows: rowsInConflict(found.filter(counts)) };
}

/** Applies the session. Returns production's refusal, or that the time was over. */
async function apply(
  tx: Queryable,
  uuid: string,
  { readableOnly }: RehearsalRules,
): Promise<Failure | null> {
  const refusal = await tx
    .query('SELECT stage.rehearse_session($1) AS failure', [uuid])
    .then(([row]) => JSON.parse(row?.['failure'] ?? 'null') as ProductionRefusal | null)
    .catch((error: unknown) => {
      if (isLate(error)) return unfinished(error.message);
      throw error;
    });
  if (refusal === null) return null;
  const { sqlstate, message, detail, table, constraint } = refusal;
  if (InTheWay.has(sqlstate)) throw new InTheWay(sqlstate, message);
  // messages of triggers, and of PostgreSQL on other rows, may contain values of any table
  // guard: the words of a refusal are not for authors and agents
  const shown = readableOnly ? { message: null, detail: null } : { message, detail };
  return { sqlstate, ...shown, table, constraint, row: refusedRow(refusal) };
}

const isLate = (error: unknown): error is StageError =>
  error instanceof StageError && error.code === 'took_too_long';

const unfinished = (message: string): ProductionRefusal => ({
  sqlstate: '57014',
  message,
  detail: null,
  raised: false,
  table: null,
  constraint: null,
  row: null,
  key: null,
});

/** Reads the remaining effects. If no time is left for that, it still reports that production accepted everything. */
async function readEffectsAround(
  tx: Queryable,
  uuid: string,
  rules: RehearsalRules,
  { wouldLand, readBeyond }: Effects,
): Promise<Partial<Rehearsal>> {
  const { readableOnly } = rules;
  try {
    const differences = await readDifferences(tx, uuid, rules);
    const warnings = await readWarnings(tx, uuid, readableOnly);
    return { wouldLand, ...differences, ...(await readBeyond()), warnings };
  } catch (error) {
    if (!isLate(error)) throw error;
    return { wouldLand, warnings: [`${error.message}: other changes were not searched`] };
  }
}

async function readDifferences(
  tx: Queryable,
  uuid: string,
  { readableOnly, refuseDifferences = false }: RehearsalRules,
): Promise<Pick<Rehearsal, 'triggerDifferences' | 'isStopped'>> {
  const [row] = await tx.query(
    `SELECT d.found, d.found ->> 'unexpected' AS unexpected FROM stage.trigger_differences($1, $2) d (found)`,
    [uuid, String(readableOnly)],
  );
  const { found = null, unexpected = null } = row ?? {};
  return {
    triggerDifferences: found === null ? null : await shownDifferences(tx, found),
    isStopped: refuseDifferences && Number(unexpected) > 0,
  };
}
