/** Revert: a new session that stages the exact inverse of an approval. It is reviewed and approved like any other. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Conflict, ConflictKind } from '../../model/conflict.ts';
import { JsonText } from '../../model/json.ts';
import { inOrder } from '../../model/member-order.ts';
import type { Session } from '../../model/session.ts';
import { ensureBound } from '../../overlay/install/binding.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { lockSession, requireTransition, sqlstateOf } from '../../staging/session-lock.ts';
import { getSession, insertSession, isThere } from '../../staging/session-store.ts';
import { conflictFacts, deletesOf, withhold } from '../conflicts.ts';
import { InTheWay, withinBudget } from '../lock-budget.ts';
import { ensureEach } from '../renew.ts';
import type { RevertedTable } from './revertible.ts';
import { demandRevertible, demandShape, revertedTables, unreadable } from './revertible.ts';

export interface Reversal {
  /** Whether to skip rows that have changed since. Otherwise they make the revert fail. */
  readonly skipChanged: boolean;
  /** The authenticated name of the requesting user. */
  readonly revertedAs: string | null;
  /** A JSON object; empty by default. */
  readonly metadata?: JsonText;
  /** Whether only counts are returned for tables that a role that staged in the approved session may not read. */
  readonly readableOnly?: boolean;
  /** The total time that it may wait for locks of others. */
  readonly lockTimeoutMs: number;
}

export interface Reverted {
  readonly session: Session;
  /** Rows that were left out, in the form of conflicts. */
  readonly skipped: readonly Conflict[];
}

/** The maximum number of differences that are read of a table, and reported. */
const mostMoved = 10_000;

/**
 * Stages the inverse of an approved session in a new one.
 * @throws StageError `session_not_found`, `invalid_transition` when it is not approved, `conflict_detected` when rows have changed since,
 * `not_revertible` when the inverse cannot be staged exactly, `session_busy`, `busy`; in each case there is no new session
 */
export async function revertSession(
  db: Database,
  id: string,
  options: Reversal,
): Promise<Reverted> {
  const uuid = sessionUuid(id);
  await ensureBound(db);
  const tables = await revertedTables(db, uuid);
  await ensureEach(
    db,
    tables.map(({ relation }) => relation),
  );
  return withinBudget(options.lockTimeoutMs, () =>
    db.transaction(
      (tx) => revertLocked(tx, id, options),
      'read committed',
      (tx, { session }) => isThere(tx, session),
    ),
  );
}

async function revertLocked(tx: Queryable, id: string, options: Reversal): Promise<Reverted> {
  const locked = await lockSession(tx, id);
  requireTransition(locked, 'revert');
  const original = await getSession(tx, id);
  await tx.query('DISCARD PLANS');
  const tables = await revertedTables(tx, locked.uuid);
  for (const table of tables) await demandRevertible(tx, locked.uuid, table);
  const findMoved = async () => {
    const found: MovedRow[] = [];
    for (const table of tables) found.push(...(await movedRows(tx, locked.uuid, table)));
    return found;
  };
  const moved = await findMoved();
  const lineages = [...new Set(moved.map(({ lineage }) => lineage))];
  // guard: nobody reverts rows that have changed since
  if (moved.length > 0) await demandSkipping(tx, locked.uuid, options, moved, lineages);
  const { projectId, reads, conflictScope } = original;
  const made = await insertSession(tx, {
    projectId,
    reads,
    conflictScope,
    metadata: options.metadata ?? new JsonText('{}'),
    createdAs: options.revertedAs,
    reverts: locked.uuid,
  });
  await tx.query('SAVEPOINT inverse');
  await stageInverse(tx, locked.uuid, made, { lineages, ...options }).catch(async (error) => {
    await tx.query('ROLLBACK TO inverse');
    // a row may have changed since it was read: then that change is the cause
    if ((await findMoved()).length > moved.length)
      throw new InTheWay('40001', 'rows are being changed in production');
    throw error;
  });
  const skipped = await shownRows(tx, locked.uuid, options, moved);
  return { session: await getSession(tx, made.id), skipped };
}

/** Returns the changed rows, as far as the caller may know of them. */
async function shownRows(
  tx: Queryable,
  uuid: string,
  { readableOnly }: Reversal,
  moved: readonly MovedRow[],
): Promise<readonly Conflict[]> {
  const conflicts = moved.slice(0, mostMoved).map(({ conflict }) => conflict);
  // guard: rows that have changed since an approval are withheld like conflicts
  return readableOnly ? withhold(tx, uuid, conflicts) : conflicts;
}

/** SQLSTATEs of errors by input functions of types, and by domains. */
const isAboutData = /^(?:2[23]|P0001|XX000)/;

interface MovedRow {
  readonly lineage: string;
  readonly conflict: Conflict;
}

async function movedRows(
  tx: Queryable,
  uuid: string,
  { relation, audited, name, key }: RevertedTable,
): Promise<MovedRow[]> {
  const rows = await tx
    .query(`SELECT * FROM stage_data.moved_${relation}($1, $2) LIMIT ${mostMoved}`, [uuid, audited])
    .catch((error: unknown) => {
      // guard: an image that a type cannot read is no fault of the service
      if (isAboutData.test(sqlstateOf(error) ?? '')) throw unreadable(name, error);
      throw error;
    });
  const toJson = (text: string | null | undefined) => (text ? new JsonText(text) : null);
  return rows.map((row) => ({
    lineage: String(row['lineage']),
    conflict: {
      table: name,
      rowId: inOrder(String(row['row_id']), key),
      field: row['field'] ?? null,
      kind: row['kind'] as ConflictKind,
      sessionBase: toJson(row['session_base']),
      sessionNew: toJson(row['session_new']),
      productionCurrent: toJson(row['production_current']),
      ...deletesOf(row['deletes']),
    },
  }));
}

/**
 * Checks that the changed rows can be left out.
 * @throws StageError `conflict_detected` unless the caller allows it, all of them are known, and other rows are left
 */
async function demandSkipping(
  tx: Queryable,
  uuid: string,
  options: Reversal,
  moved: readonly MovedRow[],
  lineages: readonly string[],
): Promise<void> {
  const [left] = await tx.query(
    'SELECT EXISTS (SELECT FROM stage.audit a WHERE a.session = $1 AND a.lineage <> ALL ($2::bigint[])) AS some',
    [uuid, `{${lineages.join(',')}}`],
  );
  if (options.skipChanged && left?.['some'] === 't' && moved.length < mostMoved) return;
  throw new StageError(
    'conflict_detected',
    'rows have changed since the session was approved: what it did cannot be taken back without what came after it',
    {
      hint: options.skipChanged
        ? 'Nothing is left to revert without these rows.'
        : 'Revert the others with --skip-changed ("skip_changed": true), or stage by hand what these rows are to be.',
      facts: {
        conflicts: (await shownRows(tx, uuid, options, moved)).map(conflictFacts),
      },
    },
  );
}

async function stageInverse(
  tx: Queryable,
  uuid: string,
  made: Session,
  { lineages, readableOnly = false }: Reversal & { readonly lineages: readonly string[] },
): Promise<void> {
  const values = [uuid, sessionUuid(made.id), `{${lineages.join(',')}}`];
  await tx.query('SELECT stage.revert_session($1, $2, $3)', values).catch((error: unknown) => {
    const sqlstate = sqlstateOf(error) ?? '';
    if (InTheWay.has(sqlstate) || !isAboutRows.test(sqlstate)) throw error;
    throw refused(error, sqlstate, readableOnly);
  });
  await demandShape(tx, values, readableOnly);
}

/** SQLSTATEs of errors in data, constraints or rights, and of triggers that refuse; others are not caused by the rows. */
const isAboutRows = /^(?:2[1237]|42501|44|0A|P0|ST)/;

/**
 * Builds the error for a refused inverse. With `readableOnly` it omits the message: a function's message may contain values of any table.
 */
function refused(cause: unknown, sqlstate: string, readableOnly: boolean): StageError {
  const {
    message,
    table = null,
    constraint = null,
  } = cause as Error & {
    table?: string;
    constraint?: string;
  };
  const shown = readableOnly ? `SQLSTATE ${sqlstate}` : message;
  return new StageError('not_revertible', `the inverse cannot be staged: ${shown}`, {
    hint: 'Rows that came later stand in the way, rows that were left out are needed, or a trigger refuses: stage by hand what is to be taken back.',
    facts: { sqlstate, table, constraint },
    cause,
  });
}
