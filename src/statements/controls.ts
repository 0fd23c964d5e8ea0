/** Transaction control, settings and SQL-level prepared statements: what changes in their text, and what they change here. */
import { StageError } from '../errors.ts';
import type { Particulars } from '../server-connection/pending-response.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import type { Access } from '../server-connection/transaction-table.ts';
import type { UpstreamText } from '../server-connection/upstream-text.ts';
import type { Replacement } from '../sql/splice.ts';
import type { ControlAction } from '../sql/verdict.ts';
import { noticeResponse } from '../wire/backend-messages.ts';
import { errorFields } from '../wire/error-fields.ts';
import type { ConnectionContext } from './connection-context.ts';
import { changeDefault, settingText } from './default-access.ts';
import { noteResult } from './result-type.ts';

/** What is sent in place of parts of a control statement. PREPARE is rewritten elsewhere, as its body is. */
export function controlReplacements(
  { state }: ConnectionContext,
  action: ControlAction,
  text: Buffer,
): Replacement[] {
  if (action.type === 'begin') {
    // Inside a transaction it changes nothing but what it says.
    if (state.block !== 'none') return [];
    // The last mode counts. Behind a new line, for the text may end in a comment.
    const access = accessWords[action.access ?? state.nextAccess];
    return [{ start: text.length, end: text.length, text: `\n${access}` }];
  }
  if (action.type !== 'set access') return [];
  return [{ start: 0, end: text.length, text: settingText(action) }];
}

/** Cursors are read, and an EXECUTE of a write is entered, by other ways. */
export function isControlling({ type }: ControlAction): boolean {
  return !['declare', 'fetch', 'close', 'pass', 'execute'].includes(type);
}

/** What changes the savepoints, or the access that a chain of transactions has. */
const marking = new Set(['savepoint', 'release', 'rollback to', 'commit', 'rollback']);

/** What it undoes is undone with the savepoints of ours. */
const isRollback = (action: ControlAction) =>
  action.type === 'rollback to' || (action.type === 'rollback' && !action.chain);

/** What runs no code, and drops nothing that is prepared. */
const leavesPrepared = new Set(['begin', 'savepoint', 'release', 'rollback to', 'rollback']);

const accessWords = { 'read write': 'READ WRITE', 'read only': 'READ ONLY' } as const;

const needsBlock: Readonly<Partial<Record<ControlAction['type'], string>>> = {
  savepoint: 'SAVEPOINT',
  release: 'RELEASE SAVEPOINT',
  'rollback to': 'ROLLBACK TO SAVEPOINT',
};

/** How a control statement is sent, in either protocol. */
interface SentControl {
  /** What is sent in place of parts of it, perhaps since long ago when it was prepared. */
  readonly replacements: readonly Replacement[];
  /** Gives what is sent. */
  readonly text: () => UpstreamText;
  /** Gives what a PREPARE has made. */
  readonly prepared: (action: Prepare) => PreparedStatement;
  /** Sends it, with what is particular about its answer. */
  readonly send: (particulars: Particulars & { readonly onDone: () => void }) => void;
}

type Prepare = Extract<ControlAction, { type: 'prepare' }>;

/**
 * Sends a control statement: makes the upstream's state what it expects, and notes what it changes, on success once more.
 * @throws StageError for what PostgreSQL refuses outside a transaction block, where a block of ours is open
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
  if (action.type === 'prepare') noteResult(context, action.name, action.body);
}

/** Makes the upstream's state what a control statement expects; gives what is particular about its answer. */
function beforeControl({ state, internal }: ConnectionContext, action: ControlAction): Particulars {
  const ends = action.type === 'commit' || action.type === 'rollback';
  // What is prepared is analysed, which may run code.
  if (action.type === 'prepare' && action.body.kind === 'read') internal.guard();
  // A chained transaction takes over the access that holds at the end of the last one: not the guard's.
  else if (!isRollback(action)) internal.release();
  if (action.type === 'commit') internal.checkCommit();
  forgetKept({ state, internal }, action);
  if (action.type === 'set constraints') setConstraints({ state, internal }, action);
  if (state.block !== 'internal')
    return marking.has(action.type) ? { onFailure: state.mark() } : {};
  const command = ends && action.chain ? `${action.type} AND CHAIN` : needsBlock[action.type];
  if (command !== undefined) {
    const message = `${command.toUpperCase()} can only be used in transaction blocks`;
    throw new StageError('invalid_request', message, { sqlstate: '25P01' });
  }
  if (ends) return { notice: noTransaction };
  // For the client there is no transaction in progress yet, and there is none when this fails.
  return action.type === 'begin' ? { hidesNotices: true, onFailure: () => state.disown() } : {};
}

/** What is prepared may be dropped by the command, or others put in its place by code that it runs. */
function forgetKept(
  { state, internal }: Pick<ConnectionContext, 'state' | 'internal'>,
  { type }: ControlAction,
): void {
  // COMMIT runs the queries of cursors WITH HOLD, but of none in a transaction that may write: the wall refuses them there.
  const leaves = leavesPrepared.has(type) || (type === 'commit' && state.stages);
  // guard: nothing of ours counts as prepared after a command that may have dropped it
  if (!leaves) internal.forgetKept();
}

/** The constraints of what is staged follow those of production; outside a transaction there is nothing to set. */
function setConstraints(
  { state, internal }: Pick<ConnectionContext, 'state' | 'internal'>,
  { names, deferred }: Extract<ControlAction, { type: 'set constraints' }>,
): void {
  if (state.block === 'none' || state.failed) return;
  const given = names === null ? null : Buffer.from(JSON.stringify(names));
  const text = `SELECT stage.set_constraints($1, ${deferred})`;
  internal.run({ text }, { values: [given] });
}

const noTransaction = noticeResponse(
  errorFields('WARNING', {
    sqlstate: '25P01',
    message: 'there is no transaction in progress',
  }),
);

/** What will hold once the server has run a control statement that has been sent. */
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
      askAccess(context);
      return;
    case 'rollback to':
      state.rewind(action.name, 'rollback to');
      names.endTransaction();
      askAccess(context);
      return;
    case 'set transaction':
      if (action.access !== null) changeTransaction(context);
      return;
    default:
      settingSent(context, action);
  }
}

/** The default access, what names mean, and what is prepared may be others once it has run. */
function settingSent({ state, names, pending }: ConnectionContext, { type }: ControlAction): void {
  if (['set access', 'reset all', 'discard'].includes(type)) state.doubtDefault();
  if (['set path', 'reset all'].includes(type)) {
    names.forget();
    names.beUnsure();
  }
  if (['prepare', 'deallocate', 'discard'].includes(type)) pending.wait = 'before more';
}

/** @param told gives the BEGIN that was sent with this access; null for one that was not */
function begin(
  context: ConnectionContext,
  access: Access,
  told: (() => UpstreamText) | null,
): void {
  const { state, pending, link } = context;
  if (state.block === 'none' && told !== null) {
    // guard: BEGIN is followed with the access it was sent with
    state.begin('client', access);
    link.fresh.begin({ text: told, access });
    return;
  }
  const isInternal = state.block === 'internal';
  state.beginInside();
  askAccess(context);
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
  internal.wall.chain();
  if (access !== null) internal.setAccess(access);
  askAccess(context);
}

/** Outside of a transaction block it sets the access of the implicit transaction, which ends before anything else runs. */
function changeTransaction(context: ConnectionContext): void {
  const { state, pending } = context;
  if (state.block === 'none') {
    pending.wait = 'before more';
    return;
  }
  state.changeAccess();
  askAccess(context);
}

/** Until the server has told the transaction's access nothing else of the client's is sent. */
function askAccess({ internal, pending }: ConnectionContext): void {
  internal.askAccess();
  pending.wait = 'before more';
}

/** What holds once a control statement has succeeded. */
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
