/** The list of the current pane, and its visible part. */
import { divide, paneHeight } from '../screen.ts';
import { detailLength } from '../views/detail.ts';
import { effectsLength } from '../views/effects.ts';
import type { State } from './state.ts';
import { listLength } from './state.ts';

interface List {
  readonly position: number;
  readonly length: number;
  goTo(position: number): State;
}

/** Returns the list in which the arrow keys move. */
export function listOf(state: State): List {
  switch (state.pane) {
    case 'tables':
      return {
        position: state.table,
        length: state.outline?.tables.length ?? 0,
        goTo: (table) => toTable(state, table),
      };
    case 'detail':
      return {
        position: state.detailTop,
        length: detailLength(state),
        goTo: (detailTop) => ({ ...state, detailTop }),
      };
    case 'log':
      return {
        position: state.mutation,
        length: state.mutationCount,
        goTo: (mutation) => ({ ...state, mutation }),
      };
    case 'conflicts':
      return {
        position: state.conflict,
        length: state.conflicts?.length ?? 0,
        goTo: (conflict) => ({ ...state, conflict }),
      };
    case 'comments':
      return {
        position: state.comment,
        length: state.comments.length,
        goTo: (comment) => ({ ...state, comment }),
      };
    case 'effects':
      return {
        position: state.effectsTop,
        length: effectsLength(state),
        goTo: (effectsTop) => ({ ...state, effectsTop }),
      };
    case 'rows':
      return {
        position: state.row,
        length: listLength(state),
        goTo: (row) => scrolled({ ...state, row, detailTop: 0 }),
      };
  }
}

/** Moves to the beginning of another table. */
export function toTable(state: State, table: number): State {
  const last = (state.outline?.tables.length ?? 0) - 1;
  const chosen = Math.max(0, Math.min(last, table));
  if (chosen === state.table) return state;
  return relisted(state, { table: chosen, column: null, sort: null });
}

const beginning = { row: 0, top: 0, detailTop: 0, anchor: null, search: null, target: null };

/** Shows another list of changes, from its beginning. */
export function relisted(
  state: State,
  list: Partial<Pick<State, 'table' | 'column' | 'filter' | 'sort'>>,
): State {
  return { ...state, ...beginning, ...list, changes: new Map() };
}

/** Scrolls so that the selected row is visible. */
export function scrolled(state: State): State {
  const height = pageHeight(state);
  const top = Math.max(state.row - height + 1, Math.min(state.top, state.row));
  return top === state.top ? state : { ...state, top: Math.max(0, top) };
}

/** Returns the visible part of the list of changes. Above a detail there are a few changes around the selected one, or none. */
export function visibleRows(state: State): { readonly top: number; readonly count: number } {
  if (state.pane !== 'detail') return { top: state.top, count: pageHeight(state) };
  const count = Math.max(1, divide(state).list - 2);
  const middle = state.row - Math.floor(count / 2);
  const top = Math.min(middle, Math.max(state.top, state.row - count + 1));
  return { top: Math.max(0, top), count };
}

/** Returns the number of rows of a pane without its heading. */
export function pageHeight(state: State): number {
  return Math.max(1, paneHeight(state) - 1);
}
