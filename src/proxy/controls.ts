/** Transaction control, settings and SQL-level prepared statements: what changes in their text, and what they change here. */
import { StageError } from '../errors.ts';
import type { Replacement } from '../sql/splice.ts';
import type { ControlAction } from '../sql/verdict.ts';
import { noticeResponse, parameterStatus } from '../wire/backend-messages.ts';
import { errorFields } from '../wire/error-fields.ts';
import type { Conversation } from './conversation.ts';
import type { Expectation } from './expectation.ts';
import type { Access } from './transaction-state.ts';

/** What is sent in place of parts of a control statement. PREPARE is rewritten elsewhere, as its body is. */
export function controlReplacements(
  { state }: Conversation,
  action: ControlAction,
  text: Buffer,
): Replacement[] {
  if (action.type === 'begin') {
    // The pinned default would make it read-only. Behind a new line, for the text may end in a comment.
    const opens = state.block !== 'client' && action.access === null;
    const append = { start: text.length, end: text.length, text: '\nREAD WRITE' };
    return opens && state.clientAccess === 'read write' ? [append] : [];
  }
  // RESET brings back the pinned value, which is the one from the start.
  if (action.type !== 'set access' || resets.test(text.toString('latin1'))) return [];
  // The default is pinned: a setting of ours takes the value, with the same answers in every transaction state.
  return [{ start: 0, end: text.length, text: `SET stage.access = '${action.access}'` }];
}

/** RESET behind any comments. */
const resets = /^(?:\s|--[^\n]*\n|\/\*.*?\*\/)*reset\b/is;

const needsBlock: Readonly<Partial<Record<ControlAction['type'], string>>> = {
  savepoint: 'SAVEPOINT',
  release: 'RELEASE SAVEPOINT',
  'rollback to': 'ROLLBACK TO SAVEPOINT',
};

/**
 * To be called before a control statement is sent: makes the upstream's state what the statement expects.
 * @returns what is particular about its answer
 * @throws StageError for what PostgreSQL refuses outside a transaction block, where a block of ours is open
 */
export function beforeControl(
  { state, own }: Conversation,
  action: ControlAction,
): Partial<Expectation> {
  const ends = action.type === 'commit' || action.type === 'rollback';
  // A chained transaction takes over the access that holds at the end of the last one: not the guard's.
  if (ends ? action.chain : action.type !== 'rollback to') own.release();
  if (action.type === 'commit') own.refuseHeld();
  if (action.type === 'set constraints') setConstraints({ state, own }, action);
  if (state.block !== 'own') return {};
  const command = ends && action.chain ? `${action.type} AND CHAIN` : needsBlock[action.type];
  if (command !== undefined) {
    const message = `${command.toUpperCase()} can only be used in transaction blocks`;
    throw new StageError('invalid_request', message, { sqlstate: '25P01' });
  }
  if (ends) return { notice: noTransaction };
  // For the client there is no transaction in progress yet, and there is none when this fails.
  return action.type === 'begin' ? { hidesNotices: true, onFailure: () => state.disown() } : {};
}

/** The constraints of what is staged follow those of production; outside a transaction there is nothing to set. */
function setConstraints(
  { state, own }: Pick<Conversation, 'state' | 'own'>,
  { names, deferred }: Extract<ControlAction, { type: 'set constraints' }>,
): void {
  if (state.block === 'none' || state.failed) return;
  const given = names === null ? null : Buffer.from(JSON.stringify(names));
  const text = `SELECT stage.set_constraints($1, ${deferred})`;
  own.run({ text }, { values: [given] });
}

const noTransaction = noticeResponse(
  errorFields('WARNING', {
    sqlstate: '25P01',
    message: 'there is no transaction in progress',
  }),
);

/**
 * To be called when a control statement has been sent: what will hold once the server has run it.
 * @param replacements what was sent in place of parts of it, perhaps long ago when it was prepared
 */
export function afterControl(
  conversation: Conversation,
  action: ControlAction,
  replacements: readonly Replacement[],
): void {
  const { state, names, pending } = conversation;
  switch (action.type) {
    case 'begin':
      begin(conversation, action.access, replacements.length > 0 ? 'read write' : action.access);
      return;
    case 'commit':
    case 'rollback':
      names.endTransaction();
      if (state.block !== 'none' && action.chain) chain(conversation);
      else {
        state.end();
        pending.fence = 'before more';
      }
      return;
    case 'savepoint':
      state.save(action.name);
      return;
    case 'release':
      if (!state.failed) state.rewind(action.name, false);
      return;
    case 'rollback to':
      state.rewind(action.name, true);
      names.endTransaction();
      return;
    case 'set transaction':
      if (action.access === null) return;
      if (state.block === 'none') pending.fence = 'before more';
      else state.setAccess(action.access);
      return;
    case 'set path':
      names.forget();
      names.beUnsure();
      return;
    case 'prepare':
    case 'deallocate':
    case 'discard':
      pending.fence = 'before more';
      return;
    default:
  }
}

/**
 * @param asked what the client's BEGIN asks for; null for its default
 * @param sent what it asked for when it was sent; null for the pinned default
 */
function begin(
  { state, own, pending }: Conversation,
  asked: Access | null,
  sent: Access | null,
): void {
  if (state.block === 'own') {
    state.adopt(sent);
    pending.fence = 'before anything';
  } else if (state.block === 'none') {
    state.begin('client', sent ?? 'read only');
    // Prepared while the client's default was another one.
    if (asked === null && (sent ?? 'read only') !== state.clientAccess)
      own.setAccess(state.clientAccess);
  }
}

/** Where the server lets a chained transaction begin by the default, that is the pinned one. */
function chain({ state, own }: Conversation): void {
  const access = state.chain();
  if (access !== null) own.setAccess(access);
}

/** To be called when a control statement has succeeded. */
export function controlDone(conversation: Conversation, action: ControlAction): void {
  const { state, names, statements } = conversation;
  switch (action.type) {
    case 'set access':
      changeAccess(conversation, action.access);
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
      changeAccess(conversation, state.initialAccess);
      return;
    default:
  }
}

function changeAccess({ state, router }: Conversation, access: Access): void {
  if (state.clientAccess === access) return;
  state.clientAccess = access;
  router.report('default_transaction_read_only', accessReports[access]);
}

const accessReports = {
  'read write': parameterStatus('default_transaction_read_only', 'off'),
  'read only': parameterStatus('default_transaction_read_only', 'on'),
};
