/** Determines what the screen lacks. */
import { markKey } from '../../client/marks.ts';
import type { Chunk, TableOutline } from '../../model/change.ts';
import { stepCountsOf } from '../../model/change.ts';
import { isApproval } from './decisions.ts';
import type { Filter, Sort, State } from './state.ts';
import {
  countIn,
  currentBrief,
  currentDigest,
  currentTable,
  digestName,
  knownState,
  listLength,
  sortOf,
} from './state.ts';

/** The changes per page, and how far around the screen they are prefetched. */
const pageSize = 500;
const ahead = 150;
/** The changes per page while the screen still lacks some. */
const screenful = 100;

export interface PageNeed {
  readonly kind: 'page';
  readonly table: string;
  readonly filter: Filter;
  readonly sort: Sort | null;
  readonly revision: string;
  /** The position of the first change in the list. */
  readonly start: number;
  /** The place of the first change: `offset` changes after the beginning of the chunk at `cursor`, or of the sorted list. */
  readonly cursor: string;
  readonly offset: number;
  readonly limit: number;
}

export type DataNeed =
  | PageNeed
  | { readonly kind: 'mutations'; readonly offset: number; readonly revision: string }
  | { readonly kind: 'digest'; readonly revision: string }
  | { readonly kind: 'brief'; readonly revision: string; readonly known: string }
  | {
      readonly kind: 'why';
      readonly table: string;
      readonly number: string;
      readonly revision: string;
    }
  | {
      readonly kind: 'search';
      readonly table: string;
      readonly filter: Filter;
      readonly text: string;
      readonly cursor: string;
    };

/** The size up to which a digest is read without being needed, as it takes little time. */
const smallDiff = 5000;

/** Returns what should be fetched next. The same need is equal each time, so that callers can recognize it. */
export function dataNeedsOf(state: State): DataNeed[] {
  const { outline, search, pane, mutations, mutation, mutationCount } = state;
  const table = currentTable(state);
  const needs: DataNeed[] = [];
  if (outline === null) return needs;
  const page = pageNeed(state);
  if (page) needs.push(page);
  if (search && search.cursor !== null && table && search.found.length < 5000) {
    const { text, cursor } = search;
    needs.push({ kind: 'search', table: table.table, filter: state.filter, text, cursor });
  }
  if (pane === 'log' && mutation < mutationCount && !mutations.has(mutation)) {
    const offset = Math.max(0, mutation - 50);
    needs.push({ kind: 'mutations', offset, revision: outline.revision });
  }
  // the rows come first
  const known = knownState(state);
  if (!page && state.brief !== 'folded' && currentBrief(state)?.known !== known)
    needs.push({ kind: 'brief', revision: outline.revision, known });
  const change = pane === 'detail' ? state.changes.get(state.row) : undefined;
  if (change && !state.whys.has(markKey(change))) {
    const { number } = change;
    needs.push({ kind: 'why', table: change.table, number, revision: outline.revision });
  }
  if (currentDigest(state) === null && (wantsDigest(state) || changeCount(state) <= smallDiff)) {
    needs.push({ kind: 'digest', revision: digestName(state) });
  }
  return needs;
}

/** Returns whether the digest is needed: to approve the diff, or to know whether it is the rehearsed one. */
const wantsDigest = ({ prompt, pane, rehearsal }: State) =>
  ((prompt?.kind === 'confirm' || prompt?.kind === 'reason') && isApproval(prompt.decision)) ||
  prompt?.kind === 'time' ||
  (pane === 'effects' && rehearsal !== null);

function changeCount({ outline }: State): number {
  const counts = stepCountsOf(outline?.tables ?? []);
  return countIn(counts, 'all') + counts.furtherChanges;
}

/** Returns the block of changes that is missing: on the screen, else below it, else above it. */
function pageNeed(state: State): PageNeed | null {
  const table = currentTable(state);
  const { top, changes } = state;
  if (table === null) return null;
  const last = listLength(state);
  const below = top + state.size.rows;
  const onScreen = firstMissing(state, top, Math.min(last, below));
  if (onScreen !== null && state.target === null) {
    return needAt(state, table, onScreen, Math.min(screenful, last - onScreen));
  }
  const missing =
    firstMissing(state, state.row, Math.min(last, state.row + 1)) ??
    firstMissing(state, below, Math.min(last, below + ahead)) ??
    firstMissing(state, Math.max(0, top - ahead), Math.min(last, top));
  if (missing === null) return null;
  const block = Math.floor(missing / pageSize) * pageSize;
  // pages of long rows are shorter than a block; the rest of the block is missing then
  const start = changes.has(block) ? missing : block;
  return needAt(state, table, start, block + pageSize - start);
}

function needAt(
  state: State,
  { table, chunks }: TableOutline,
  start: number,
  limit: number,
): PageNeed | null {
  const { filter, outline } = state;
  const sort = sortOf(state);
  const place = sort === null ? placeOf(chunks, filter, start) : { cursor: '0', offset: start };
  if (place === null) return null;
  const revision = outline?.revision ?? '';
  return { kind: 'page', table, filter, sort, revision, start, ...place, limit };
}

function firstMissing({ changes }: State, from: number, to: number): number | null {
  for (let index = from; index < to; index += 1) if (!changes.has(index)) return index;
  return null;
}

/** Returns the chunk that contains a position of the filtered list, and the offset in it. */
function placeOf(
  chunks: readonly Chunk[],
  filter: Filter,
  position: number,
): { readonly cursor: string; readonly offset: number } | null {
  let before = 0;
  for (const chunk of chunks) {
    const count = countIn(chunk, filter);
    if (position < before + count) return { cursor: chunk.after, offset: position - before };
    before += count;
  }
  return null;
}

/** Returns the position in the filtered list at which the chunk with a change's number begins. */
export function startOfChunkWith(chunks: readonly Chunk[], filter: Filter, number: string): number {
  let before = 0;
  let start = 0;
  for (const chunk of chunks) {
    if (BigInt(chunk.after) >= BigInt(number)) break;
    start = before;
    before += countIn(chunk, filter);
  }
  return start;
}
