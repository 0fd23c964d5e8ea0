/** The state of the screen. */

import type { Marks } from '../../client/marks.ts';
import type { PartMarks } from '../../client/part-marks.ts';
import { noMarks } from '../../client/part-marks.ts';
import type { RehearsalReport } from '../../client/rehearsal.ts';
import type {
  Mutation,
  NetCounts,
  NumberedChange,
  Operation,
  Outline,
  TableOutline,
} from '../../model/change.ts';
import { changesIn, mostSorted } from '../../model/change.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { Comment } from '../../model/event.ts';
import type { JsonText } from '../../model/json.ts';
import type { SessionPolicy } from '../../model/policy.ts';
import type { CallerReport } from '../../model/service.ts';
import type { Session } from '../../model/session.ts';
import type { Effect, Keymap } from '../keys.ts';
import type { StatementFacts } from '../statement-facts.ts';
import type { Deciding, Edit, Prompt, Subject } from './decisions.ts';

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

/** Items of a long list by position. Only those near the visible part are loaded. */
export type Loaded<T> = ReadonlyMap<number, T>;

/** A column by which the rows are sorted. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

export interface Search {
  readonly text: string;
  /** The numbers of the changes found so far, in order. */
  readonly found: readonly string[];
  /** The place to continue; null when everything was searched. */
  readonly cursor: string | null;
  /** The position in `found` of the selected result. */
  readonly current: number;
}

/** A digest and the diff that it identifies: see digestName. */
export interface Digest {
  readonly revision: string;
  readonly text: string;
}

/** A brief in words, and the revision of the diff that it describes. */
export interface Meaning {
  readonly revision: string;
  /** What else its flags depend on. See knownState. */
  readonly known: string;
  readonly flags: readonly string[];
  readonly sentences: readonly string[];
  /** Flags that stand behind the sentences: nearly every proposal has them. */
  readonly late: readonly string[];
}

export interface State {
  readonly size: Size;
  readonly keymap: Keymap;
  readonly database: string;
  /** The caller and its permissions; null until they are known. */
  readonly caller: CallerReport | null;
  readonly session: Session | null;
  readonly outline: Outline | null;
  readonly digest: Digest | null;
  /** The latest brief that was read; null if none was. See currentBrief. */
  readonly meaning: Meaning | null;
  /** The rules and votes that were read last; null if none could be read. See currentPolicy. */
  readonly policy: SessionPolicy | null;
  readonly brief: 'short' | 'whole' | 'folded';
  readonly pane: Pane;
  /** Whether the pane takes the whole screen. */
  readonly zoomed: boolean;
  readonly layout: 'grid' | 'stacked';
  readonly changedOnly: boolean;
  readonly wrapped: boolean;
  readonly types: boolean;
  /** The position of the table in the outline. */
  readonly table: number;
  readonly filter: Filter;
  /** The order of the rows; null for the order of the diff. See sortOf. */
  readonly sort: Sort | null;
  /** The position of the selected change in the filtered list. */
  readonly row: number;
  readonly top: number;
  /** The selected column outside the key; null for the first that is shown. */
  readonly column: string | null;
  readonly changes: Loaded<NumberedChange>;
  readonly detailTop: number;
  readonly mutations: Loaded<Mutation>;
  readonly mutationCount: number;
  readonly mutation: number;
  readonly facts: ReadonlyMap<string, StatementFacts>;
  readonly conflicts: readonly Conflict[] | null;
  /** Conflicts in ignored columns. */
  readonly ignored: readonly Conflict[];
  readonly conflict: number;
  readonly comments: readonly Comment[];
  readonly comment: number;
  /** Rows with comments: see rowKey. */
  readonly commented: ReadonlySet<string>;
  /** The causes of changes by markKey, for the changes whose detail was opened. */
  readonly whys: ReadonlyMap<string, readonly string[]>;
  /** The changes that the reviewer marked. */
  readonly reviewed: Marks;
  /** The rows and tables that are marked as a part of the session. */
  readonly part: PartMarks;
  /** The position at which a range of rows to mark begins. */
  readonly anchor: number | null;
  readonly search: Search | null;
  /** The number of a change to move to once its page is loaded. */
  readonly target: string | null;
  readonly prompt: Prompt | null;
  readonly help: string | null;
  readonly notice: { readonly text: string; readonly alarm: boolean } | null;
  /** The warning of conflicts with production. */
  readonly banner: string | null;
  /** Why the daemon does not respond; null if it does. The shown data may be outdated. */
  readonly offline: string | null;
  /** The decision that is being carried out. */
  readonly deciding: Deciding | null;
  /** The edit that is being carried out. */
  readonly edit: Edit | null;
  /** The session after the reviewer's latest edit, see editName, so that it is not reported as a change by others. */
  readonly edited: string | null;
  /** The running rehearsal; a new object each time. */
  readonly rehearsing: object | null;
  /** The latest rehearsal; its digest identifies the diff. */
  readonly rehearsal: RehearsalReport | null;
  readonly effectsTop: number;
  /** The comment that is being sent. */
  readonly commenting: { readonly text: string; readonly about: Subject } | null;
  /** The effect that the latest key requested; a new object each time. */
  readonly effect: { readonly name: Effect } | null;
}

/** The initial values of what is known of the session. */
const nothingKnown = {
  database: '',
  caller: null,
  session: null,
  outline: null,
  digest: null,
  meaning: null,
  policy: null,
};

/** The initial values of what is read besides the changes. */
const nothingRead = {
  mutations: new Map(),
  mutationCount: 0,
  mutation: 0,
  facts: new Map(),
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
    ...nothingKnown,
    brief: 'short',
    pane: 'rows',
    zoomed: false,
    layout: 'grid',
    changedOnly: false,
    wrapped: true,
    types: false,
    table: 0,
    filter: 'all',
    sort: null,
    row: 0,
    top: 0,
    column: null,
    changes: new Map(),
    detailTop: 0,
    ...nothingRead,
    reviewed,
    part: noMarks,
    anchor: null,
    search: null,
    target: null,
    prompt: null,
    help: null,
    notice: null,
    banner: null,
    offline: null,
    deciding: null,
    edit: null,
    edited: null,
    rehearsing: null,
    rehearsal: null,
    effectsTop: 0,
    commenting: null,
    effect: null,
  };
}

/** Returns the outline of the selected table; null if there is none. */
export function currentTable(state: State): TableOutline | null {
  return state.outline?.tables[state.table] ?? null;
}

/** Returns the number of changes of a chunk that match a filter. */
export function countIn(counts: NetCounts, filter: Filter): number {
  return changesIn(counts, operationOf(filter));
}

/** Returns the order of the current list; null for the order of the diff, and if the list is too long to be sorted. */
export function sortOf(state: State): Sort | null {
  return listLength(state) > mostSorted ? null : state.sort;
}

/** Returns the length of the current list; 0 if its changes are hidden. */
export function listLength(state: State): number {
  const { chunks = [], hidden } = currentTable(state) ?? {};
  if (hidden) return 0;
  return chunks.reduce((sum, chunk) => sum + countIn(chunk, state.filter), 0);
}

/** Returns the operation that a filter shows; undefined for all operations. */
export const operationOf = (filter: Filter): Operation | undefined =>
  filter === 'all' ? undefined : filter;

/** Returns the key of a row of a table, for changes and comments alike. */
export const rowKey = (table: string, rowId: JsonText) =>
  `${table}\n${rowId.text.replaceAll(/\s/g, '')}`;

/** Returns the version of what a session stages: it differs whenever something else is staged. */
export const editName = ({ mutationCount, edits }: Session) => `${mutationCount} ${edits}`;

/** Returns the name of the diff that a digest covers: the diff that is shown, in the round of its proposal. */
export function digestName({ outline, session }: State): string {
  const { round = 0, status } = session ?? {};
  // guard: the digest in the review is that of its round
  return `${outline?.revision ?? ''} ${status === 'active' ? round + 1 : round}`;
}

/** Returns the brief of the diff that is shown; null if it is unknown. */
export function currentBrief({ meaning, outline }: State): Meaning | null {
  // guard: the brief in the review is that of its diff
  return meaning?.revision === outline?.revision ? meaning : null;
}

/** Names what a brief depends on beside the diff: another proposal, or a rehearsal that has succeeded, changes its flags. */
export function knownState({ session, rehearsal }: State): string {
  return [session?.status, session?.round, rehearsal?.ok ? rehearsal.digest : ''].join(' ');
}

/** Returns what the policy says about a session that is not decided; null if it is unknown. */
export function currentPolicy({ policy, session }: State): SessionPolicy | null {
  return session?.status === 'active' || session?.status === 'proposed' ? policy : null;
}

/** Returns the digest of the diff that is shown; null if it is unknown. */
export function currentDigest(state: State): string | null {
  const { digest } = state;
  return digest?.revision === digestName(state) ? digest.text : null;
}
