/** What is missing for what the screen shows. */
import { markKey } from '../../client/marks.ts';
import type { Chunk, TableOutline } from '../../model/change.ts';
import { stepCountsOf } from '../../model/change.ts';
import type { Filter, State } from './state.ts';
import { countIn, currentDigest, currentTable, digestName, listLength } from './state.ts';

/** Changes that are fetched at once, and how far ahead of the screen that is done. */
const pageSize = 500;
const ahead = 150;
/** Changes that are fetched at once where the screen is still empty. */
const screenful = 100;

export interface PageNeed {
  readonly kind: 'page';
  readonly table: string;
  readonly filter: Filter;
  readonly revision: string;
  /** Position in the list of the first change wanted. */
  readonly start: number;
  /** How to find it: so many changes behind a chunk's beginning. */
  readonly cursor: string;
  readonly offset: number;
  readonly limit: number;
}

export type Need =
  | PageNeed
  | { readonly kind: 'mutations'; readonly offset: number; readonly revision: string }
  | { readonly kind: 'digest'; readonly revision: string }
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

/** A digest is read without being asked for where that takes no time to speak of. */
const smallDiff = 5000;

/** Gives what should be fetched next; what is asked for twice is the same need. */
export function needsOf(state: State): Need[] {
  const { outline, search, pane, mutations, mutation, mutationCount } = state;
  const table = currentTable(state);
  const needs: Need[] = [];
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

/** To approve it, or to know whether it is what was rehearsed. */
const wantsDigest = ({ prompt, pane, rehearsal }: State) =>
  (prompt?.kind === 'confirm' && prompt.deed === 'approve') ||
  (pane === 'effects' && rehearsal !== null);

function changeCount({ outline }: State): number {
  const counts = stepCountsOf(outline?.tables ?? []);
  return countIn(counts, 'all') + counts.furtherChanges;
}

/** The block of changes that is missing: on the screen, else ahead of it, else behind. */
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
  // rows of great length come in short pages: then the block's rest is missing
  const start = changes.has(block) ? missing : block;
  return needAt(state, table, start, block + pageSize - start);
}

function needAt(
  { filter, outline }: State,
  { table, chunks }: TableOutline,
  start: number,
  limit: number,
): PageNeed | null {
  const place = placeOf(chunks, filter, start);
  if (place === null) return null;
  const revision = outline?.revision ?? '';
  return { kind: 'page', table, filter, revision, start, ...place, limit };
}

function firstMissing({ changes }: State, from: number, to: number): number | null {
  for (let index = from; index < to; index += 1) if (!changes.has(index)) return index;
  return null;
}

/** Finds the chunk that a position of the filtered list lies in, and how far inside. */
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

/** Where in the filtered list the chunk begins that a change's number lies in. */
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
