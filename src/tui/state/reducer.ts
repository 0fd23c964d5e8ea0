/** Computes the next state of the screen. Pure: the state contains what remains to be done. */

import type { RehearsalReport } from '../../client/rehearsal.ts';
import type { Brief } from '../../model/brief.ts';
import type { ChangePage, Mutation, Outline } from '../../model/change.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { Comment } from '../../model/event.ts';
import type { SessionPolicy } from '../../model/policy.ts';
import type { CallerReport } from '../../model/service.ts';
import type { Session } from '../../model/session.ts';
import type { Command, Effect } from '../keys.ts';
import { effects } from '../keys.ts';
import type { StatementFacts } from '../statement-facts.ts';
import { command } from './commands.ts';
import type { DataNeed, PageNeed } from './data-needs.ts';
import type { Deciding, Edit } from './decisions.ts';
import { explained, found, page, renewed } from './incoming.ts';
import { scrolled } from './lists.ts';
import type { StateChange } from './outcomes.ts';
import { outcomeOf } from './outcomes.ts';
import { clearedWords, withoutPart } from './parts.ts';
import { typed } from './prompts.ts';
import type { Digest, Size, State } from './state.ts';
import { editName, rowKey } from './state.ts';

export type Action =
  | { readonly type: 'key'; readonly name: string }
  | { readonly type: 'resized'; readonly size: Size }
  | { readonly type: 'session'; readonly session: Session; readonly database?: string | undefined }
  | { readonly type: 'caller'; readonly caller: CallerReport }
  | { readonly type: 'outline'; readonly outline: Outline }
  | { readonly type: 'page'; readonly need: PageNeed; readonly page: ChangePage }
  | {
      readonly type: 'mutations';
      readonly offset: number;
      readonly items: readonly Mutation[];
      readonly total: number;
    }
  | { readonly type: 'brief'; readonly brief: Brief }
  | { readonly type: 'policy'; readonly policy: SessionPolicy | null }
  | { readonly type: 'digest'; readonly digest: Digest }
  | {
      readonly type: 'found';
      readonly need: DataNeed & { kind: 'search' };
      readonly page: ChangePage;
    }
  | { readonly type: 'conflicts'; readonly conflicts: readonly Conflict[] }
  | { readonly type: 'comments'; readonly comments: readonly Comment[] }
  | { readonly type: 'why'; readonly key: string; readonly causes: readonly string[] }
  | { readonly type: 'commented' }
  | { readonly type: 'facts'; readonly id: string; readonly facts: StatementFacts }
  | { readonly type: 'done'; readonly decision: StateChange; readonly session: Session }
  | {
      readonly type: 'edited';
      readonly session: Session;
      /** The remaining conflicts; null if they were not compared. */
      readonly conflicts: readonly Conflict[] | null;
      readonly text: string;
    }
  | {
      /** An edit was refused, since other rows depend on what it removes. */
      readonly type: 'dependents';
      readonly edit: Edit;
      readonly dependents: readonly string[];
      readonly text: string;
    }
  | {
      /** A part was refused, since other rows are tied to it. */
      readonly type: 'tied';
      readonly deciding: Deciding;
      readonly ties: readonly string[];
      readonly text: string;
    }
  | { readonly type: 'reverted'; readonly id: string }
  | { readonly type: 'splitOff'; readonly session: Session; readonly text: string }
  | { readonly type: 'rehearsed'; readonly report: RehearsalReport }
  | { readonly type: 'unrehearsed'; readonly text: string }
  | { readonly type: 'offline'; readonly text: string | null }
  | { readonly type: 'failed'; readonly text: string }
  | { readonly type: 'notice'; readonly text: string; readonly alarm: boolean };

type Handlers = { [T in Action['type']]: (state: State, action: Action & { type: T }) => State };

const handlers: Handlers = {
  key: (state, { name }) => pressed(state, name),
  resized: (state, { size }) => scrolled({ ...state, size }),
  session: (state, { session, database }) => ({
    ...state,
    ...(isOpen(session) ? {} : withoutPart(state)),
    session,
    database: database ?? state.database,
    mutationCount: session.mutationCount,
    notice: moved(state, session) ?? state.notice,
  }),
  caller: (state, { caller }) => ({ ...state, caller }),
  outline: (state, { outline }) => renewed(state, outline),
  page: (state, action) => page(state, action.need, action.page),
  mutations: (state, { offset, items, total }) => ({
    ...state,
    mutations: new Map(items.map((item, index) => [offset + index, item])),
    mutationCount: total,
  }),
  brief: (state, { brief }) => explained(state, brief),
  policy: (state, { policy }) => scrolled({ ...state, policy }),
  digest: (state, { digest }) => ({ ...state, digest }),
  found: (state, action) => found(state, action.need, action.page),
  conflicts: (state, { conflicts }) => ({
    ...withConflicts(
      state,
      conflicts.filter(({ ignored }) => !ignored),
    ),
    ignored: conflicts.filter(({ ignored }) => ignored),
  }),
  comments: (state, { comments }) => ({
    ...state,
    comments,
    comment: Math.max(0, Math.min(state.comment, comments.length - 1)),
    commented: new Set(
      comments.flatMap(({ table, rowId }) => (table && rowId ? [rowKey(table, rowId)] : [])),
    ),
  }),
  why: (state, { key, causes }) => ({ ...state, whys: new Map([...state.whys, [key, causes]]) }),
  commented: (state) => ({
    ...state,
    commenting: null,
    notice: { text: 'Comment added.', alarm: false },
  }),
  facts: (state, { id, facts }) => ({ ...state, facts: new Map([...state.facts, [id, facts]]) }),
  done: (state, { decision, session }) => ({
    ...(isOpen(session) ? state : withoutPart(state)),
    session,
    deciding: null,
    notice: { text: outcomeOf(decision, session), alarm: false },
  }),
  edited: (state, { session, conflicts, text }) => ({
    ...withConflicts(state, conflicts ?? state.conflicts),
    session,
    edit: null,
    edited: editName(session),
    notice: { text, alarm: false },
  }),
  dependents: (state, { edit, dependents, text }) =>
    state.prompt === null && state.help === null
      ? { ...state, edit: null, prompt: { kind: 'edit', edit, dependents, text: '' } }
      : { ...state, edit: null, notice: { text, alarm: true } },
  tied: (state, { deciding, ties, text }) => {
    const { decision, ...plan } = deciding;
    const waits = state.prompt === null && state.help === null && state.part === plan.part;
    return waits
      ? { ...state, deciding: null, prompt: { kind: 'confirm', decision, plan, ties, text: '' } }
      : { ...state, deciding: null, notice: { text, alarm: true } };
  },
  splitOff: (state, { session, text }) => ({
    ...withoutPart(state),
    session,
    deciding: null,
    edited: editName(session),
    notice: { text, alarm: false },
  }),
  reverted: (state, { id }) => ({
    ...state,
    deciding: null,
    notice: { text: `The inverse is staged: stage diff ${id}`, alarm: false },
  }),
  rehearsed: (state, { report }) => ({ ...state, rehearsing: null, rehearsal: report }),
  unrehearsed: (state, { text }) => ({ ...state, rehearsing: null, notice: { text, alarm: true } }),
  failed: (state, { text }) => ({
    ...state,
    deciding: null,
    commenting: null,
    edit: null,
    notice: { text, alarm: true },
  }),
  offline: (state, { text }) => ({
    ...state,
    offline: text,
    notice:
      state.offline !== null && text === null
        ? { text: 'The service answers again: everything was read anew.', alarm: false }
        : state.notice,
  }),
  notice: (state, { text, alarm }) => ({ ...state, notice: { text, alarm } }),
};

/** Returns the state after an action. */
export function reduce(state: State, action: Action): State {
  const handle = handlers[action.type] as (state: State, action: Action) => State;
  return handle(state, action);
}

/** Handles a key: as a character if a line is being typed, else by its binding. */
function pressed(state: State, name: string): State {
  const typing = state.prompt !== null || state.help !== null;
  if (typing && state.keymap.bound(name) !== 'suspend') return typed(state, name);
  const does = state.keymap.bound(name);
  if (does === undefined) return state;
  return isEffect(does) ? { ...state, effect: { name: does } } : command(state, does);
}

const isOpen = ({ status }: Session) => status === 'active' || status === 'proposed';

const isEffect = (does: Command | Effect): does is Effect =>
  (effects as readonly string[]).includes(does);

/** Reports that somebody else changed the session's status; null otherwise. */
function moved({ session: before, notice }: State, { status }: Session): State['notice'] {
  if (before === null || before.status === status) return null;
  const kept = notice?.text.includes(clearedWords) ? `${clearedWords} ` : '';
  return { text: `${kept}The session is ${status} by now.`, alarm: true };
}

function withConflicts(state: State, conflicts: readonly Conflict[] | null): State {
  if (conflicts === null) return state;
  const conflict = Math.max(0, Math.min(state.conflict, conflicts.length - 1));
  return { ...state, conflicts, conflict, banner: bannerOf(conflicts) };
}

/** Returns the banner that reports conflicts, which a reviewer must not miss. */
function bannerOf(conflicts: readonly Conflict[]): string | null {
  if (conflicts.length === 0) return null;
  const count = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`;
  return `${count} with production: tab to Conflicts.`;
}
