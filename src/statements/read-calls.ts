/** Checks that an unstaged statement calls no function with effects that READ ONLY does not prevent. */

import { StageError } from '../errors.ts';
import { heldCursor, readOf } from '../rewrite/query-planner.ts';
import { unlessFailed } from '../server-connection/internal-texts.ts';
import { refusalError } from '../server-connection/refusals.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import type { UnclearCall } from '../sql/functions/calls.ts';
import { functionRefusal } from '../sql/functions/functions.ts';
import type { Control, Verdict } from '../sql/verdict.ts';
import type { ConnectionContext } from './connection-context.ts';

/** Returns whether the server must be queried about the calls of a statement. */
export function needsCallCheck(context: ConnectionContext, verdict: Verdict): boolean {
  if (context.state.failed) return false;
  return !context.names.areHarmless(unclearCalls(context, verdict));
}

/** Does the same for the types that a read names: PostgreSQL reads their literals when the read is parsed, before it runs. */
export function needsTypeCheck({ state, names }: ConnectionContext, verdict: Verdict): boolean {
  const types = state.failed ? [] : typesIn(verdict);
  return types.length > 0 && !names.areHarmless(types);
}

/**
 * Returns whether a read, whose calls were checked, must be parsed in an internal block, because reading its literals runs user-defined
 * code.
 */
export function needsBlockForTypes(
  { state, names }: Pick<ConnectionContext, 'state' | 'names'>,
  verdict: Verdict,
): boolean {
  const types = state.block === 'none' ? typesIn(verdict) : [];
  // guard: writes of user code that reads a literal are checked
  return types.length > 0 && names.runCode(types);
}

const typesIn = (verdict: Verdict) =>
  verdict.kind === 'read' ? verdict.unclear.filter(({ kind }) => kind === 'type') : [];

/**
 * Queries the server about the calls of a statement, unless they are known.
 * @throws StageError when one of the functions has effects
 */
export async function checkReadCalls(context: ConnectionContext, verdict: Verdict): Promise<void> {
  if (!needsCallCheck(context, verdict)) return;
  const refused = await context.names.harmfulAmong(unclearCalls(context, verdict));
  if (refused !== null) throw refusalError(functionRefusal(refused));
}

/**
 * Returns whether a read, whose calls were checked, must run in an internal block: for its row locks, or for the commit check. READ ONLY
 * prevents user-defined code from writing rows, but not from ANALYZE, REINDEX and CLUSTER, which write to the catalogs. A block of the client
 * is checked anyway.
 */
export function needsBlock(context: ConnectionContext, verdict: Verdict): boolean {
  const { state, names, statements } = context;
  if (state.block !== 'none') return false;
  if (locksSharedRows(context, verdict)) return true;
  // guard: writes of user code in a read are checked before its end
  if (verdict.kind === 'read') return names.runCode(verdict.unclear);
  if (verdict.kind !== 'control') return false;
  if (verdict.action.type === 'prepare')
    return needsBlockForTypes({ state, names }, verdict.action.body);
  if (verdict.action.type !== 'execute') return false;
  const { unclear, name } = verdict.action;
  const body = statements.get(name)?.body;
  return names.runCode(unclear) || (body?.kind === 'read' && names.runCode(body.unclear));
}

/** Returns whether a read locks rows that other connections of its session may write: its locks last until the end of a transaction. */
const locksSharedRows = ({ reads, state, isShared }: ConnectionContext, verdict: Verdict) =>
  verdict.kind === 'read' &&
  verdict.locks !== undefined &&
  reads === 'staged' &&
  state.stages &&
  isShared();

/** Opens an internal block for a statement that needs the check. Nothing has run in the block before. */
export async function openCheckedBlock(context: ConnectionContext): Promise<void> {
  if (context.state.implicit) await syncAndGoOn(context);
  context.internal.begin();
}

function unclearCalls(context: ConnectionContext, verdict: Verdict): readonly UnclearCall[] {
  if (verdict.kind === 'refuse') return [];
  return verdict.kind === 'control' ? callsOfControl(context, verdict) : verdict.unclear;
}

function callsOfControl(
  { statements }: ConnectionContext,
  { action }: Control,
): readonly UnclearCall[] {
  switch (action.type) {
    case 'declare':
      return action.body.unclear;
    case 'prepare':
      // a write is checked when it is staged, or when it is executed and cannot be staged
      return action.body.kind === 'read' ? action.body.unclear : [];
    case 'execute': {
      const body = statements.get(action.name)?.body;
      // guard: the catalog is queried for the present calls of a prepared statement
      const inBody = body === undefined || body.kind === 'control' ? [] : body.unclear;
      return [...action.unclear, ...inBody];
    }
    default:
      return [];
  }
}

/**
 * Refuses cursors WITH HOLD whose query could write. COMMIT runs the rest of their query, after all guards and after the commit check. In a
 * transaction that is READ ONLY from its start, PostgreSQL itself limits the query to reads, except for what user-defined code may do
 * there. Call it before a statement that is no write runs, and after its calls were checked.
 * @throws StageError when the statement declares such a cursor
 */
export function checkCursorWithHold({ state, names }: ConnectionContext, verdict: Verdict): void {
  if (state.failed || heldCursor(verdict) === null) return;
  if (state.exposesCursors) throw cursorRefused;
  // guard: COMMIT runs no code of users after the commit check
  if (names.runCode(readOf(verdict)?.unclear ?? [])) throw codeRefused;
}

/** Records a cursor WITH HOLD for the commit check, which fails those of functions. Call it as soon as its DECLARE was sent. */
export function noteHeldCursor({ state, internal }: ConnectionContext, verdict: Verdict): void {
  const cursor = heldCursor(verdict);
  if (cursor === null || state.block === 'none' || state.failed) return;
  internal.commitCheck.noteHeld(cursor, unlessFailed);
}

const cursorRefused = new StageError(
  'statement_not_supported',
  'DECLARE ... WITH HOLD cannot be run in a transaction that may write',
  {
    hint: 'Declare the cursor outside of a transaction block or after BEGIN READ ONLY; or WITHOUT HOLD.',
  },
);

const codeRefused = new StageError(
  'statement_not_supported',
  'DECLARE ... WITH HOLD cannot be run for a query that runs functions of users of the database',
  {
    hint: 'COMMIT would run the query, after the check for writes. Declare the cursor WITHOUT HOLD, in a transaction block.',
  },
);
