/** Carries out the commands of keys: movement, and display options. */

import { choicesOf } from '../../client/part-marks.ts';
import type { Command, Move } from '../keys.ts';
import { isLong } from '../views/brief.ts';
import { selectedColumn, shownColumns } from './columns.ts';
import { cancelled, rehearse, take, withAlarm } from './direct-actions.ts';
import { followed } from './incoming.ts';
import { listOf, pageHeight, relisted, scrolled, toTable } from './lists.ts';
import {
  confirmDecision,
  confirmReopen,
  confirmRevert,
  confirmUnstage,
  openPrompt,
  promptForComment,
  promptForSort,
} from './open-prompts.ts';
import { confirmSplit, markPart, markTable, withoutPart } from './parts.ts';
import { refusal } from './permissions.ts';
import { toggled } from './reviewed.ts';
import type { Filter, Pane, State } from './state.ts';
import { currentBrief, filters, listLength, panes } from './state.ts';
import { promptForReason, promptForReview, promptForTime } from './ways.ts';

const moves = {
  down: 1,
  up: -1,
  halfDown: 0.5,
  halfUp: -0.5,
  pageDown: 'page',
  pageUp: '-page',
  first: 'first',
  last: 'last',
} as const satisfies Record<Move, unknown>;

type Change = (state: State) => State;

const toFilter =
  (filter: Filter): Change =>
  (state) =>
    relisted(state, { filter });

const changes: Readonly<Record<Exclude<Command, Move>, Change>> = {
  left: (state) => toColumn(state, -1),
  right: (state) => toColumn(state, 1),
  leftPage: (state) => toColumn(state, -5),
  rightPage: (state) => toColumn(state, 5),
  nextTable: (state) => toTable(state, state.table + 1),
  previousTable: (state) => toTable(state, state.table - 1),
  nextPane: (state) => toPane(state, 1),
  previousPane: (state) => toPane(state, -1),
  open,
  back,
  mark,
  range,
  markPart: (state) => {
    const marked = markPart(state);
    // a single row that was marked: on to the next one
    const isOne = state.anchor === null && state.pane === 'rows';
    return isOne && countOf(marked) > countOf(state) ? move(marked, 'down') : marked;
  },
  markTable,
  search: openPrompt({ kind: 'search', text: '' }),
  nextFound: (state) => followed(toFound(state, 1)),
  previousFound: (state) => followed(toFound(state, -1)),
  sort: promptForSort,
  nextFilter: (state) =>
    toFilter(filters[(filters.indexOf(state.filter) + 1) % filters.length] ?? 'all')(state),
  all: toFilter('all'),
  inserts: toFilter('INSERT'),
  updates: toFilter('UPDATE'),
  deletes: toFilter('DELETE'),
  layout: (state) => ({ ...state, layout: state.layout === 'grid' ? 'stacked' : 'grid' }),
  changedOnly: (state) => ({ ...state, changedOnly: !state.changedOnly }),
  wrap: (state) => ({ ...state, wrapped: !state.wrapped, detailTop: 0 }),
  types: (state) => ({ ...state, types: !state.types }),
  zoom: (state) => scrolled({ ...state, zoomed: !state.zoomed }),
  goto: openPrompt({ kind: 'goto', text: '' }),
  propose: confirmDecision('propose'),
  approve: confirmDecision('approve'),
  schedule: promptForTime,
  breakGlass: promptForReason,
  review: promptForReview,
  split: confirmSplit,
  reject: confirmDecision('reject'),
  reopen: confirmReopen,
  revert: confirmRevert,
  unstage: confirmUnstage,
  mine: take('mine'),
  theirs: take('theirs'),
  rehearse,
  comment: promptForComment,
  brief: turnedBrief,
  help: (state) => ({ ...state, help: '' }),
};

/** Carries out a command. */
export function command(state: State, name: Command): State {
  const plain = { ...state, notice: null };
  const why = refusal(state, name);
  if (why !== null) return withAlarm(plain, why);
  return name in moves ? move(plain, name as Move) : changes[name as Exclude<Command, Move>](plain);
}

function move(state: State, name: Move): State {
  const { position, length, goTo } = listOf(state);
  const page = pageHeight(state);
  const by = moves[name];
  if (by === 'first') return goTo(0);
  if (by === 'last') return goTo(Math.max(0, length - 1));
  const steps = { page, '-page': -page };
  const step = typeof by === 'string' ? steps[by] : Math.abs(by) < 1 ? Math.round(page * by) : by;
  return goTo(Math.max(0, Math.min(length - 1, position + step)));
}

/** Moves to another column; in the detail of a change, to the neighbouring change. */
function toColumn(state: State, step: number): State {
  if (state.pane === 'detail') return { ...toRow(state, state.row + step), pane: 'detail' };
  const shown = shownColumns(state);
  const wanted = Math.min(shown.length - 1, selectedColumn(state, shown) + step);
  return { ...state, column: shown[Math.max(0, wanted)] ?? null };
}

function toPane(state: State, step: number): State {
  const index = (panes.indexOf(state.pane) + step + panes.length) % panes.length;
  return { ...state, pane: panes[index] ?? 'rows', detailTop: 0 };
}

/** Shows the short brief, the whole one, and none in turn, above the rows. */
function turnedBrief(state: State): State {
  const pane = state.pane === 'tables' ? 'tables' : 'rows';
  const shown: State = { ...state, pane, zoomed: false };
  if (state.brief === 'folded') return scrolled({ ...shown, brief: 'short' });
  if (currentBrief(state) === null)
    return { ...shown, notice: { text: 'What the changes mean is not known yet.', alarm: false } };
  const isNext = state.brief === 'short' && isLong(state);
  return scrolled({ ...shown, brief: isNext ? 'whole' : 'folded' });
}

const within: Partial<Record<Pane, Pane>> = { tables: 'rows', rows: 'detail' };
const around: Partial<Record<Pane, Pane>> = {
  detail: 'rows',
  log: 'rows',
  conflicts: 'rows',
  comments: 'rows',
  effects: 'rows',
};

function open(state: State): State {
  if (state.pane === 'conflicts') return toConflict(state);
  return { ...state, pane: within[state.pane] ?? state.pane, detailTop: 0 };
}

/** Moves from a conflict to its table. */
function toConflict(state: State): State {
  const conflict = state.conflicts?.[state.conflict];
  const table =
    state.outline?.tables.findIndex(({ table: name }) => name === conflict?.table) ?? -1;
  if (conflict === undefined || table < 0) return state;
  return { ...toTable(state, table), pane: 'rows' };
}

function back(state: State): State {
  if (state.anchor !== null) return { ...state, anchor: null };
  if (state.search !== null) return { ...state, search: null };
  if (state.zoomed) return { ...state, zoomed: false };
  if (state.pane === 'effects' && state.rehearsing !== null) return cancelled(state);
  if (around[state.pane] === undefined) return withoutPart(state);
  return { ...state, pane: around[state.pane] ?? state.pane };
}

/** Marks the selected change or range as reviewed. If all of it is marked, the marks are removed. */
function mark(state: State): State {
  const from = Math.min(state.anchor ?? state.row, state.row);
  const to = Math.max(state.anchor ?? state.row, state.row);
  const chosen = [...state.changes].filter(([at]) => at >= from && at <= to);
  const reviewed = toggled(
    state,
    chosen.map(([, change]) => change),
  );
  const marked = { ...state, reviewed, anchor: null };
  const onward =
    state.anchor === null && state.pane === 'rows' && reviewed.size > state.reviewed.size;
  return onward ? move(marked, 'down') : marked;
}

const countOf = ({ part }: State) => choicesOf(part).length;

function range(state: State): State {
  return { ...state, anchor: state.anchor === null ? state.row : null };
}

/** Moves to another search result. */
function toFound(state: State, step: number): State {
  const { search } = state;
  if (search === null) return { ...state, notice: { text: 'Search with / first.', alarm: false } };
  const { found, cursor } = search;
  const last = found.length - 1;
  if (last < 0) {
    const text = cursor === null ? `No change has ${search.text}.` : 'Still searching …';
    return { ...state, notice: { text, alarm: false } };
  }
  const current = (search.current + step + found.length) % found.length;
  return { ...state, search: { ...search, current }, target: found[current] ?? null };
}

/** Moves to a position in the list of changes. */
export function toRow(state: State, row: number): State {
  const last = Math.max(0, listLength(state) - 1);
  return listOf({ ...state, pane: 'rows' }).goTo(Math.max(0, Math.min(last, row)));
}
