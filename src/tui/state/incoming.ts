/** Adds what arrives from the daemon to the state. */
import { briefSentences, flagsInWords } from '../../client/brief-words.ts';
import type { Brief, Flag } from '../../model/brief.ts';
import type { ChangePage, NumberedChange, Outline } from '../../model/change.ts';
import type { DataNeed, PageNeed } from './data-needs.ts';
import { startOfChunkWith } from './data-needs.ts';
import { scrolled } from './lists.ts';
import { clearedWords, withoutPart } from './parts.ts';
import type { Loaded, State } from './state.ts';
import { currentTable, editName, knownState, listLength, sortOf } from './state.ts';

/**
 * The maximum number of changes cached on either side of the screen's top, and the maximum number of characters of all of them together.
 */
const cachedAround = 2000;
const cachedLength = 16_000_000;

/** Replaces the outline. The position stays at the table and near the row. */
export function renewed(state: State, outline: Outline): State {
  if (outline.revision === state.outline?.revision) return state;
  const name = currentTable(state)?.table;
  const same = outline.tables.findIndex(({ table }) => table === name);
  const first = state.outline === null;
  const next = { ...state, outline, table: Math.max(0, same), changes: new Map() };
  const position = same >= 0 || first;
  const row = position ? Math.max(0, Math.min(state.row, listLength(next) - 1)) : 0;
  const { session, edited } = state;
  // guard: rows that others stage are news in the review
  const isOwn = session !== null && editName(session) === edited;
  const written = !first && !isOwn && session?.status === 'active';
  const isMarked = state.part.size > 0;
  const text = `The session has changed: the diff was read again.${isMarked ? ` ${clearedWords}` : ''}`;
  const notice = written || (isMarked && !isOwn) ? { text, alarm: true } : state.notice;
  return scrolled({
    // guard: rows are marked in the diff that is shown
    ...withoutPart(next),
    row,
    top: position ? Math.min(state.top, row) : 0,
    mutations: new Map(),
    whys: new Map(),
    notice,
  });
}

/** Adds a page that was requested. A page of another list or revision is dropped. */
export function page(state: State, need: PageNeed, { changes }: ChangePage): State {
  const isListed = state.filter === need.filter && sortOf(state) === need.sort;
  const current = currentTable(state)?.table === need.table && isListed;
  if (!current || state.outline?.revision !== need.revision) return state;
  const loaded = new Map(state.changes);
  for (const [index, change] of changes.entries()) loaded.set(need.start + index, change);
  return reached({ ...state, changes: pruned(loaded, state.top) }, need.start, changes);
}

/** Adds a brief, in words. */
export function explained(state: State, brief: Brief): State {
  const { revision } = brief;
  const sentences = briefSentences(brief).flatMap(({ table, sentences: said }) =>
    said.map((sentence) => `${table} ${sentence}`),
  );
  const isLate = ({ code }: Flag) => code === 'never_rehearsed';
  const flags = flagsInWords({ ...brief, flags: brief.flags.filter((flag) => !isLate(flag)) });
  const late = flagsInWords({ ...brief, flags: brief.flags.filter(isLate), overlaps: [] });
  const known = knownState(state);
  return scrolled({ ...state, meaning: { revision, known, flags, sentences, late } });
}

/** Moves to the target change if a page contains it. */
function reached(state: State, start: number, changes: readonly NumberedChange[]): State {
  if (state.target === null) return state;
  const index = changes.findIndex(({ number }) => number === state.target);
  if (index < 0) return towards(state);
  return scrolled({ ...state, row: start + index, target: null, detailTop: 0 });
}

/** Moves to the chunk that contains the target change, so that its page is fetched. */
function towards(state: State): State {
  const { target } = state;
  const known = [...state.changes].find(([, { number }]) => number === target);
  if (known) return scrolled({ ...state, row: known[0], target: null, detailTop: 0 });
  const chunks = currentTable(state)?.chunks ?? [];
  if (target === null) return state;
  const row = startOfChunkWith(chunks, state.filter, target);
  return row === state.row ? state : scrolled({ ...state, row });
}

/** Adds the results of a search, and moves to the first one. */
export function found(
  state: State,
  need: DataNeed & { kind: 'search' },
  answer: ChangePage,
): State {
  const { search } = state;
  if (search === null || search.text !== need.text || search.cursor !== need.cursor) return state;
  const all = [...search.found, ...answer.changes.map(({ number }) => number)];
  const next = { ...search, found: all, cursor: answer.nextCursor };
  const first = search.found.length === 0 ? (all[0] ?? null) : state.target;
  const nothing = all.length === 0 && next.cursor === null;
  const notice = nothing ? { text: `No change has ${search.text}.`, alarm: false } : state.notice;
  return towards({ ...state, search: next, target: first, notice });
}

/** Moves to the target, if there is one. */
export function followed(state: State): State {
  return state.target === null ? state : towards(state);
}

function pruned(changes: ReadonlyMap<number, NumberedChange>, top: number): Loaded<NumberedChange> {
  const near = [...changes].filter(([index]) => Math.abs(index - top) <= cachedAround);
  const total = near.reduce((sum, [, change]) => sum + lengthOf(change), 0);
  if (total <= cachedLength) return new Map(near);
  near.sort(([one], [other]) => Math.abs(one - top) - Math.abs(other - top));
  let length = 0;
  return new Map(
    near.filter(([, change], index) => {
      length += lengthOf(change);
      return length <= cachedLength || index <= 100;
    }),
  );
}

const lengthOf = ({ before, after }: NumberedChange) =>
  (before?.text.length ?? 0) + (after?.text.length ?? 0);
