/** Divides the screen: heading, tabs, body, notice, keys. */
import type { Size, State } from './state/state.ts';
import { briefView } from './views/brief.ts';

/** The lines outside the body: session and tabs above; notice or prompt, and keys below. */
const frame = 4;

/** Returns the height of the body in lines. */
export const bodyHeight = ({ rows }: Size) => Math.max(1, rows - frame);

/** Returns the height of the panes, below the brief. */
export const paneHeight = (state: State) =>
  Math.max(1, bodyHeight(state.size) - briefView(state).length);

/** The width below which one pane is shown at a time, in columns. */
const narrow = 60;

export interface Division {
  /** The width of the list of tables; 0 if it is not shown. */
  readonly tables: number;
  readonly main: number;
  readonly height: number;
  /** The lines of the list of changes above the detail; the whole height if the detail is closed. */
  readonly list: number;
}

/** Divides the screen for the current pane. */
export function divide(state: State): Division {
  const { columns } = state.size;
  const height = paneHeight(state);
  const alone = columns < narrow || state.zoomed;
  const tables = alone ? (state.pane === 'tables' ? columns : 0) : tablesWidth(state);
  const main = tables === columns ? 0 : columns - tables - (tables > 0 ? 1 : 0);
  const split = state.pane === 'detail' && !state.zoomed && height >= 10 && columns >= narrow;
  const shared = split ? Math.max(3, Math.floor(height / 3)) : 0;
  return { tables, main, height, list: state.pane === 'detail' ? shared : height };
}

function tablesWidth({ size, outline }: State): number {
  const longest = Math.max(0, ...(outline?.tables ?? []).map(({ table }) => table.length));
  const most = size.columns < 100 ? 20 : 32;
  return Math.max(14, Math.min(most, longest + 3));
}
