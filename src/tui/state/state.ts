/** What the screen shows, and what it is made from. */
import type { Comment } from '../../client/discussion.ts';
import type { Marks } from '../../client/marks.ts';
import type { RehearsalReport } from '../../client/rehearsal.ts';
import type {
  Conflict,
  Mutation,
  NumberedChange,
  Operation,
  Outline,
  TableOutline,
} from '../../model/change.ts';
import type { JsonText } from '../../model/json.ts';
import type { Session } from '../../model/session.ts';
import type { Aids } from '../aids.ts';
import type { Effect, Keymap } from '../keys.ts';
import type { Deed, Edit, Prompt, Subject } from './deeds.ts';

export const panes = [
  'tables',
  'rows',
  'detail',
  'log',
  'conflicts',
  'comments',
  'effects',
] as const;
export type Pane = (typeof panes)[number];

export const filters = ['all', 'INSERT', 'UPDATE', 'DELETE'] as const;
export type Filter = (typeof filters)[number];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Items of a long list by position: only those near what is looked at. */
export type Loaded<T> = ReadonlyMap<number, T>;

export interface Search {
  readonly text: string;
  /** Numbers of the changes that were found so far, in order. */
  readonly found: readonly string[];
  /** Where to look on; null when all was looked through. */
  readonly cursor: string | null;
  /** The find to move to, once it is there. */
  readonly current: number;
}

/** A digest, and the diff that it names: see digestName. */
export interface Digest {
  readonly revision: string;
  readonly text: string;
}

export interface State {
  readonly size: Size;
  readonly keymap: Keymap;
  readonly database: string;
  readonly session: Session | null;
  readonly outline: Outline | null;
  readonly digest: Digest | null;
  readonly pane: Pane;
  /** Whether the pane takes the whole screen. */
  readonly zoomed: boolean;
  readonly layout: 'grid' | 'stacked';
  readonly changedOnly: boolean;
  readonly wrapped: boolean;
  readonly types: boolean;
  /** Position of the table in the outline. */
  readonly table: number;
  readonly filter: Filter;
  /** Position of the chosen change among those that the filter lets through. */
  readonly row: number;
  readonly top: number;
  /** Position of the chosen column among those that are no key. */
  readonly column: number;
  readonly changes: Loaded<NumberedChange>;
  readonly detailTop: number;
  readonly mutations: Loaded<Mutation>;
  readonly mutationCount: number;
  readonly mutation: number;
  readonly aids: ReadonlyMap<string, Aids>;
  readonly conflicts: readonly Conflict[] | null;
  /** Of columns that do not count. */
  readonly ignored: readonly Conflict[];
  readonly conflict: number;
  readonly comments: readonly Comment[];
  readonly comment: number;
  /** Rows that were commented on, see rowKey. */
  readonly commented: ReadonlySet<string>;
  /** Why changes are there, by markKey: only of those whose detail was looked at. */
  readonly whys: ReadonlyMap<string, readonly string[]>;
  /** What the reviewer has seen. */
  readonly reviewed: Marks;
  /** Where a range of rows to mark begins. */
  readonly anchor: number | null;
  readonly search: Search | null;
  /** A change to go to by its number, once its page is there. */
  readonly target: string | null;
  readonly prompt: Prompt | null;
  readonly help: string | null;
  readonly notice: { readonly text: string; readonly alarm: boolean } | null;
  /** Production has moved under the reviewed rows, or the session has changed. */
  readonly banner: string | null;
  /** Why the daemon does not answer, until it does again: what is shown may be old. */
  readonly offline: string | null;
  /** What is being done at the daemon. */
  readonly deed: { readonly deed: Deed; readonly reason: string } | null;
  /** What is being changed of what is staged, at the daemon. */
  readonly edit: Edit | null;
  /** What the session was like after the reviewer's own edit, see editName: that is no news. */
  readonly edited: string | null;
  /** A rehearsal that is waited for; a new object each time. */
  readonly rehearsing: object | null;
  /** The last one; of which diff, its digest says. */
  readonly rehearsal: RehearsalReport | null;
  readonly effectsTop: number;
  /** What is being said at the daemon. */
  readonly saying: { readonly text: string; readonly about: Subject } | null;
  /** What the last key asks of the program around the state; a new object each time. */
  readonly effect: { readonly name: Effect } | null;
}

/** What is read beside the changes. */
const nothingRead = {
  mutations: new Map(),
  mutationCount: 0,
  mutation: 0,
  aids: new Map(),
  conflicts: null,
  ignored: [],
  conflict: 0,
  comments: [],
  comment: 0,
  commented: new Set<string>(),
  whys: new Map(),
};

export function initialState(size: Size, keymap: Keymap, reviewed: Marks = new Map()): State {
  return {
    size,
    keymap,
    database: '',
    session: null,
    outline: null,
    digest: null,
    pane: 'rows',
    zoomed: false,
    layout: 'grid',
    changedOnly: false,
    wrapped: true,
    types: false,
    table: 0,
    filter: 'all',
    row: 0,
    top: 0,
    column: 0,
    changes: new Map(),
    detailTop: 0,
    ...nothingRead,
    reviewed,
    anchor: null,
    search: null,
    target: null,
    prompt: null,
    help: null,
    notice: null,
    banner: null,
    offline: null,
    deed: null,
    edit: null,
    edited: null,
    rehearsing: null,
    rehearsal: null,
    effectsTop: 0,
    saying: null,
    effect: null,
  };
}

export function currentTable(state: State): TableOutline | null {
  return state.outline?.tables[state.table] ?? null;
}

/** How many changes of a chunk a filter lets through. */
export function countIn(
  counts: { readonly inserts: number; readonly updates: number; readonly deletes: number },
  filter: Filter,
): number {
  const byKind = { INSERT: counts.inserts, UPDATE: counts.updates, DELETE: counts.deletes };
  return filter === 'all' ? counts.inserts + counts.updates + counts.deletes : byKind[filter];
}

/** How many changes the current list has; none where they are hidden. */
export function listLength(state: State): number {
  const { chunks = [], hidden } = currentTable(state) ?? {};
  if (hidden) return 0;
  return chunks.reduce((sum, chunk) => sum + countIn(chunk, state.filter), 0);
}

export const operationOf = (filter: Filter): Operation | undefined =>
  filter === 'all' ? undefined : filter;

/** Names a row of a table, whether a change or a comment is about it. */
export const rowKey = (table: string, rowId: JsonText) =>
  `${table}\n${rowId.text.replaceAll(/\s/g, '')}`;

/** What a session is like: another name, and something else is staged. */
export const editName = ({ mutationCount, edits }: Session) => `${mutationCount} ${edits}`;

/** Names what the current digest is of: the diff that is shown, in the round that it is proposed in. */
export function digestName({ outline, session }: State): string {
  const { round = 0, status } = session ?? {};
  // guard: the digest in the review is that of its round
  return `${outline?.revision ?? ''} ${status === 'active' ? round + 1 : round}`;
}

/** What the current digest is, if it names the diff that is shown. */
export function currentDigest(state: State): string | null {
  const { digest } = state;
  return digest?.revision === digestName(state) ? digest.text : null;
}
