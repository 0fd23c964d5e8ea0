/** Transaction control, settings and SQL-level prepared statements: the changes to their text, and to the proxy's state. */
import { StageError } from '../errors.ts';
import { deliverNotice } from '../server-connection/error-mapping.ts';
import type { ErrorHandler, Particulars } from '../server-connection/pending-response.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { errorMessage, refusalError } from '../server-connection/refusals.ts';
import type { Access } from '../server-connection/transaction-table.ts';
import type { UpstreamText } from '../server-connection/upstream-text.ts';
import { twoPhase } from '../sql/classify/kinds/classify-transaction.ts';
import type { Replacement } from '../sql/splice.ts';
import type { ControlAction } from '../sql/verdict.ts';
import { noticeResponse } from '../wire/backend-messages.ts';
import { errorFields } from '../wire/error-fields.ts';
import type { ConnectionContext } from './connection-context.ts';
import { changeDefault, settingText } from './default-access.ts';
import { noteResult } from './result-type.ts';

/** Returns the replacements in a control statement. The ones in a PREPARE, which depend on its body, are computed elsewhere. */
export function controlReplacements(
  { state }: ConnectionContext,
  action: ControlAction,
  text: Buffer,
): Replacement[] {
  if (action.type === 'begin') {
    // Inside a transaction a BEGIN changes only what it specifies.
    if (state.block !== 'none') return [];
    // The last mode applies. It goes on a new line, because the text may end in a comment.
    const access = accessWords[action.access ?? state.nextAccess];
    return [{ start: text.length, end: text.length, text: `\n${access}` }];
  }
  if (action.type === 'rollback' && action.prepares)
    return [{ start: 0, end: text.length, text: failingPrepare }];
  if (action.type !== 'set access') return [];
  return [{ start: 0, end: text.length, text: settingText(action) }];
}

/** The longest identifier of a prepared transaction is one byte shorter. */
const tooLong = 'x'.repeat(200);
/** A PREPARE TRANSACTION that no server can carry out: its error ends the block. Outside of a block it is a ROLLBACK with a warning. */
const failingPrepare = `PREPARE TRANSACTION '${tooLong}'`;

/** Returns how errors of a control statement are reported: that of PREPARE TRANSACTION as its refusal. */
export function errorsOf(action: ControlAction): (handler: ErrorHandler) => ErrorHandler {
  if (action.type !== 'rollback' || !action.prepares) return (handler) => handler;
  const refused = errorMessage(refusalError(twoPhase), false);
  return (handler) => (fields) => (fields.get('M')?.includes(tooLong) ? refused : handler(fields));
}

/** Returns whether a command is handled by `sendControl`. Cursors count as reads, and an EXECUTE of a write is staged. */
export function isControlling({ type }: ControlAction): boolean {
  return !['declare', 'fetch', 'close', 'pass', 'execute'].includes(type);
}

/** Commands that change the savepoints, or the access that a chain of transactions has. */
const marking = new Set(['savepoint', 'release', 'rollback to', 'commit', 'rollback']);

/** Returns whether a command rolls back internal savepoints, too, so that these need no release. */
const isRollback = (action: ControlAction) =>
  action.type === 'rollback to' || (action.type === 'rollback' && !action.chain);

/** Commands that run no code, and drop no prepared statement. */
const leavesPrepared = new Set(['begin', 'savepoint', 'release', 'rollback to', 'rollback']);

const accessWords = { 'read write': 'READ WRITE', 'read only': 'READ ONLY' } as const;

const needsBlock: Readonly<Partial<Record<ControlAction['type'], string>>> = {
  savepoint: 'SAVEPOINT',
  release: 'RELEASE SAVEPOINT',
  'rollback to': 'ROLLBACK TO SAVEPOINT',
};

/** A control statement, as it is sent in either protocol. */
interface SentControl {
  /** Its replacements; for a prepared statement, those from when it was prepared. */
  readonly replacements: readonly Replacement[];
  /** Returns the text that is sent. */
  readonly text: () => UpstreamText;
  /** Returns the entry for a PREPARE. */
  readonly prepared: (action: Prepare) => PreparedStatement;
  /** Sends it with handlers for its response. */
  readonly send: (particulars: Particulars & { readonly onDone: () => void }) => void;
}

type Prepare = Extract<ControlAction, { type: 'prepare' }>;

/**
 * Sends a control statement. Prepares the upstream's state for it, and tracks its effects when it is sent and when it has succeeded.
 * @throws StageError for what PostgreSQL refuses outside a transaction block, while an internal block is open
 */
export function sendControl(
  context: ConnectionContext,
  action: ControlAction,
  { replacements, text, prepared, send }: SentControl,
): void {
  const onDone = () => {
    if (action.type === 'prepare') context.statements.set(action.name, prepared(action));
    else controlDone(context, action);
  };
  send({ ...beforeControl(context, action), onDone });
  afterControl(context, action, replacements, text);
  if (action.type !== 'prepare') return;
  const { name, body } = action;
  noteResult(context, name, body, () => context.statements.get(name));
}

/** Prepares the upstream's state for a control statement. Returns handlers for its response. */
function beforeControl({ state, internal }: ConnectionContext, action: ControlAction): Particulars {
  const ends = action.type === 'commit' || action.type === 'rollback';
  // A PREPARE analyses its body, which may run code.
  if (action.type === 'prepare' && action.body.kind === 'read') internal.guard();
  // A chained transaction inherits the access at the end of the last one, which must not be that of a guard.
  else if (!isRollback(action)) internal.release();
  if (action.type === 'commit') internal.checkCommit();
  forgetCached({ state, internal }, action);
  if (action.type === 'set constraints') setConstraints({ state, internal }, action);
  if (state.block !== 'internal')
    return marking.has(action.type) ? { onFailure: state.mark() } : {};
  const command = ends && action.chain ? `${action.type} AND CHAIN` : needsBlock[action.type];
  if (command !== undefined) {
    const message = `${command.toUpperCase()} can only be used in transaction blocks`;
    throw new StageError('invalid_request', message, { sqlstate: '25P01' });
  }
  if (ends) return { notice: noTransaction };
  // For the client no transaction is in progress yet, and none will be if the BEGIN fails.
  return action.type === 'begin'
    ? { hidesNotices: true, onFailure: () => state.noteFailedBegin() }
    : {};
}

/** Invalidates prepared internal statements that the command may drop, or that code which it runs may replace. */
function forgetCached(
  { state, internal }: Pick<ConnectionContext, 'state' | 'internal'>,
  { type }: ControlAction,
): void {
  // COMMIT runs the queries of cursors WITH HOLD, except in a transaction that may write, where the commit check refuses them.
  const leaves = leavesPrepared.has(type) || (type === 'commit' && state.stages);
  // guard: no internal statement counts as prepared after a command that may have dropped it
  if (!leaves) internal.forgetCached();
}

/** Sets the modes for staged rows, whose constraints follow those of production. Outside of a transaction this has no effect. */
function setConstraints(
  { state, internal }: Pick<ConnectionContext, 'state' | 'internal'>,
  { names, deferred }: Extract<ControlAction, { type: 'set constraints' }>,
): void {
  if (state.block === 'none' || state.failed) return;
  const given = names === null ? null : Buffer.from(JSON.stringify(names));
  const text = `SELECT stage.set_constraints($1, ${deferred})`;
  internal.run({ text }, { values: [given], onNotice: deliverNotice });
}

const noTransaction = noticeResponse(
  errorFields('WARNING', {
    sqlstate: '25P01',
    message: 'there is no transaction in progress',
  }),
);

/** Updates the state to the one after a control statement that has been sent. */
function afterControl(
  context: ConnectionContext,
  action: ControlAction,
  replacements: readonly Replacement[],
  sent: () => UpstreamText,
): void {
  const { state, names } = context;
  switch (action.type) {
    case 'begin':
      begin(context, action.access ?? state.nextAccess, replacements.length > 0 ? sent : null);
      return;
    case 'commit':
    case 'rollback':
      end(context, action);
      return;
    case 'savepoint':
      state.save(action.name);
      return;
    case 'release':
      if (state.failed) return;
      state.rewind(action.name, 'release');
      queryAccess(context);
      return;
    case 'rollback to':
      state.rewind(action.name, 'rollback to');
      context.internal.commitCheck.rewind();
      names.endTransaction();
      queryAccess(context);
      return;
    case 'set transaction':
      if (action.access !== null) changeTransaction(context);
      return;
    default:
      settingSent(context, action);
  }
}

/** Notes that a command may change the default access, the meaning of names, or prepared statements. */
function settingSent({ state, names, pending }: ConnectionContext, { type }: ControlAction): void {
  if (['set access', 'reset all', 'discard'].includes(type)) state.doubtDefault();
  if (['set path', 'reset all'].includes(type)) {
    names.forget();
    names.beUnsure();
  }
  if (['prepare', 'deallocate', 'discard'].includes(type)) pending.wait = 'before more';
}

/**
 * Begins a transaction block.
 * @param sentText returns the BEGIN that was sent with this access; null for one sent unchanged
 */
function begin(
  context: ConnectionContext,
  access: Access,
  sentText: (() => UpstreamText) | null,
): void {
  const { state, pending, link } = context;
  if (state.block === 'none' && sentText !== null) {
    // guard: BEGIN is followed with the access it was sent with
    state.begin('client', access);
    link.fresh.begin({ text: sentText, access });
    return;
  }
  const isInternal = state.block === 'internal';
  state.beginInside();
  queryAccess(context);
  if (isInternal) pending.wait = 'before anything';
}

function end(
  context: ConnectionContext,
  { type, chain: chains }: Extract<ControlAction, { type: 'commit' | 'rollback' }>,
): void {
  const { state, internal, names, pending } = context;
  names.endTransaction();
  if (state.block === 'none' || !chains) {
    state.end();
    pending.wait = 'before more';
    return;
  }
  const access = state.chain(type);
  internal.commitCheck.chain();
  if (access !== null) internal.setAccess(access);
  queryAccess(context);
}

/** Notes a SET TRANSACTION. Outside of a block it sets the access of the implicit transaction, which ends before anything else runs. */
function changeTransaction(context: ConnectionContext): void {
  const { state, pending } = context;
  if (state.block === 'none') {
    pending.wait = 'before more';
    return;
  }
  state.changeAccess();
  queryAccess(context);
}

/** Queries the transaction's access. Nothing else of the client is sent before the response. */
function queryAccess({ internal, pending }: ConnectionContext): void {
  internal.queryAccess();
  pending.wait = 'before more';
}

/** Updates the state after a control statement has succeeded. */
function controlDone(context: ConnectionContext, action: ControlAction): void {
  const { names, statements } = context;
  switch (action.type) {
    case 'set access':
      changeDefault(context, isAccess(action.to) ? action.to : null);
      return;
    case 'reset all':
      changeDefault(context, null);
      return;
    case 'deallocate':
      if (action.name !== null) {
        statements.delete(action.name);
        return;
      }
      statements.clear();
      return;
    case 'discard':
      if (action.what !== 'all') return;
      statements.clear();
      names.forget();
      changeDefault(context, null);
      return;
    default:
  }
}

const isAccess = (to: string): to is Access => to === 'read write' || to === 'read only';
