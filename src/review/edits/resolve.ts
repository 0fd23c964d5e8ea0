/** Resolve: resolves conflicts of an active session row by row and column by column. Its staged rows are rebased on current production. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Conflict } from '../../model/conflict.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { Session } from '../../model/session.ts';
import { emit, isEmitted } from '../../staging/event-store.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import type { ConflictRules } from '../conflicts.ts';
import { conflictFacts, counts, detectConflicts, withhold } from '../conflicts.ts';
import { onCurrentOverlays, reviewRelations } from '../current-overlays.ts';
import { withinBudget, yieldFirst } from '../lock-budget.ts';
import { countPlaces } from '../place-counts.ts';
import { renewOutdated } from '../renew.ts';
import type { Lineage, StagedTable } from './lineages.ts';
import { arraysOf, dependentLineages, stagedTables } from './lineages.ts';
import type { Resolution, ResolvedRow, Side } from './resolution.ts';
import { changing, chooseSides, settle } from './resolution.ts';
import { demandLineages, demandOperable } from './row-choice.ts';
import { Names } from './row-names.ts';
import { hasDependents } from './unstage.ts';

export interface Resolving extends ConflictRules {
  /** The resolution of each conflict, or one side for all of them. */
  readonly resolutions: readonly Resolution[] | Side;
  /** Whether to unstage rows that depend on given-up rows, too. */
  readonly withDependents: boolean;
  /** The authenticated name of the resolving user. */
  readonly resolvedAs: string | null;
  readonly readableOnly?: boolean;
  readonly lockTimeoutMs: number;
}

export interface Resolved {
  readonly session: Session;
  /** The resolved conflicts, as they were before. */
  readonly settled: readonly Conflict[];
  /** The remaining conflicts. */
  readonly left: readonly Conflict[];
}

/**
 * Resolves conflicts of an active session: all of the requested ones, or none.
 * @throws StageError `session_not_found`, `invalid_transition`, `session_busy`, `no_such_conflict`, `conflict_detected` when production
 * differs from what the caller expects, `not_resolvable`, `has_dependents`, `not_unstageable`, `invalid_request`, `busy`; nothing is
 * changed then
 */
export async function resolveConflicts(
  db: Database,
  id: string,
  options: Resolving,
): Promise<Resolved> {
  await renewOutdated(db, id);
  let number = '0';
  return withinBudget(options.lockTimeoutMs, () =>
    onCurrentOverlays(db, sessionUuid(id), () =>
      db.transaction(
        async (tx) => {
          const done = await resolveLocked(tx, id, options);
          number = done.number;
          return done.resolved;
        },
        'read committed',
        (tx) => isEmitted(tx, number, sessionUuid(id)),
      ),
    ),
  );
}

async function resolveLocked(
  tx: Queryable,
  id: string,
  options: Resolving,
): Promise<{ readonly resolved: Resolved; readonly number: string }> {
  const session = await lockSession(tx, id);
  requireTransition(session, 'resolve');
  const { uuid } = session;
  const readableOnly = options.readableOnly ?? false;
  await tx.query('DISCARD PLANS');
  await yieldFirst(tx);
  const found = await conflictsOf(tx, session, options);
  const chosen = chooseSides(found, options.resolutions);
  const tables = await stagedTables(tx, uuid, readableOnly);
  const touched = tables.filter(({ name }) =>
    chosen.some(({ conflicts: [first] }) => first?.table === name),
  );
  demandOperable(tables, { lineages: [], whole: touched.map(({ relation }) => relation) });
  demandLineages(touched);
  const given: Lineage[] = [];
  for (const row of chosen) {
    const lineage = await settle(tx, uuid, tables, row);
    if (lineage !== null) given.push(lineage);
  }
  await giveUp(tx, uuid, tables, given, options.withDependents);
  const left = await conflictsOf(tx, session, options);
  const settled = chosen.flatMap(({ conflicts }) => conflicts);
  refuseUnsettled(settled, left);
  await tx.query('SELECT stage.note_edit($1, $2)', [uuid, options.resolvedAs]);
  const body = new JsonText(stringifyJson({ tables: countSides(chosen) }));
  const number = await emit(tx, { ...session, kind: 'resolved', by: options.resolvedAs, body });
  return { resolved: { session: await getSession(tx, id), settled, left }, number };
}

/** Finds conflicts without the ignored ones, which the configuration resolves. */
async function conflictsOf(
  tx: Queryable,
  { uuid, conflictScope }: LockedSession,
  { readableOnly = false, ignoredColumns }: Resolving,
): Promise<readonly Conflict[]> {
  const relations = await reviewRelations(tx, uuid);
  const compared = { conflictScope, ignoredColumns };
  const found = (await detectConflicts(tx, uuid, relations, compared)).filter(counts);
  return readableOnly ? withhold(tx, uuid, found) : found;
}

/** Unstages rows of which only production's side, or nothing, is left. @throws StageError `has_dependents` */
async function giveUp(
  tx: Queryable,
  uuid: string,
  tables: readonly StagedTable[],
  given: readonly Lineage[],
  withDependents: boolean,
): Promise<void> {
  if (given.length === 0) return;
  const dependents = await dependentLineages(tx, uuid, given);
  if (dependents.length > 0 && !withDependents)
    throw hasDependents(dependents.length, await new Names(tx, uuid, tables).of(dependents, true));
  await tx.query('SELECT stage.unstage_lineages($1, $2, $3, $4)', [
    uuid,
    ...arraysOf([...given, ...dependents]),
    '{}',
  ]);
}

const placeOf = ({ table, rowId, field, kind }: Conflict) =>
  [table, rowId.text, field ?? '', kind].join('\n');

/**
 * Checks that no resolved conflict still exists.
 * @throws StageError `not_resolvable` where a resolved conflict still exists
 * @throws InTheWay where production has changed since it was resolved
 */
function refuseUnsettled(settled: readonly Conflict[], left: readonly Conflict[]): void {
  const before = new Map(settled.map((conflict) => [placeOf(conflict), conflict]));
  const still = left.find((conflict) => before.has(placeOf(conflict)));
  if (still === undefined) return;
  const { productionCurrent } = before.get(placeOf(still)) ?? still;
  if (productionCurrent?.text !== still.productionCurrent?.text) throw changing(still.rowId);
  throw new StageError(
    'not_resolvable',
    `a conflict would not be settled by that: ${still.table} ${still.rowId.text}`,
    {
      hint: 'Take the row out, and stage it anew: `stage unstage`.',
      facts: { conflicts: [conflictFacts(still)] },
    },
  );
}

/** Counts the resolved conflicts by column and side. */
const countSides = (chosen: readonly ResolvedRow[]) =>
  countPlaces(
    chosen.flatMap(({ conflicts, sides }) =>
      conflicts.map(({ table, field }, index) => ({ table, field, take: sides[index] ?? 'mine' })),
    ),
  );
