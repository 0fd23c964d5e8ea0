/** The list of changes: a grid whose key columns stay visible, or one change after the other. */
import { keyCell, nameCell } from '../../client/cell.ts';
import { isRowMarked } from '../../client/part-marks.ts';
import { changesHidden, countsInWords, nothingInWords } from '../../client/words.ts';
import type { NumberedChange, TableOutline } from '../../model/change.ts';
import { stepCountsOf } from '../../model/change.ts';
import type { SidesCache } from '../cells.ts';
import { gridCell, isChanged } from '../cells.ts';
import { selectedColumn, shownColumns } from '../state/columns.ts';
import { isReviewed } from '../state/reviewed.ts';
import type { State } from '../state/state.ts';
import { currentTable, listLength, rowKey, sortOf } from '../state/state.ts';
import type { Line, Span } from '../terminal/line.ts';
import { fitLine, lineWidth, span } from '../terminal/line.ts';
import { widthOf } from '../terminal/text.ts';
import { signs } from './signs.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  /** The visible cells, one for each visible change; undefined if a change is not loaded. */
  readonly cells: readonly (Line | undefined)[];
  readonly width: number;
  readonly align: 'left' | 'right';
}

const widest = { key: 24, other: 44 };
/** The maximum number of columns before the selected one that may be visible. */
const columnsBefore = 12;

/** Draws the changes that fit. */
export function rowsView(state: State, sides: SidesCache, width: number, height: number): Line[] {
  const table = currentTable(state);
  if (table === null || listLength(state) === 0) return [[], [span(emptyText(state), 'faint')]];
  return state.layout === 'grid'
    ? grid(state, table, sides, width, height)
    : stacked(state, table, sides, height);
}

function emptyText(state: State): string {
  const { outline, filter } = state;
  const table = currentTable(state);
  if (outline === null) return '  Counting the changes …';
  if (table === null) return `  ${nothingInWords(state.session?.status === 'rejected')}`;
  if (table.hidden) return `  ${changesHidden(stepCountsOf([table]))}`;
  return table.chunks.length === 0
    ? `  ${countsInWords(stepCountsOf([table]))}: what the session did here comes to nothing, but approval replays it.`
    : `  No ${filter} in this table.`;
}

function grid(
  state: State,
  table: TableOutline,
  sides: SidesCache,
  width: number,
  height: number,
): Line[] {
  const count = Math.min(height - 1, listLength(state) - state.top);
  const visible = Array.from({ length: count }, (_, index) => state.changes.get(state.top + index));
  const build = (name: string, most: number) => columnOf(state, table, sides, visible, name, most);
  const keys = table.key.map((name) => build(name, widest.key));
  const others = shownColumns(state, sides);
  const chosen = selectedColumn(state, others);
  const room = width - 6 - keys.reduce((sum, key) => sum + key.width + 1, 0) - 2;
  const { first, columns } = onScreen(others, chosen, room, (name) => build(name, widest.other));
  const heading: Line = [
    span('      '),
    ...keys.flatMap((key) => headingCell(key, state)),
    span(first > 0 ? '‹ ' : '│ ', 'faint'),
    ...columns.flatMap((column) => headingCell(column, state)),
    span(first + columns.length < others.length ? '›' : '', 'faint'),
  ];
  const lines = visible.map((change, index) => {
    const chosenRow = state.top + index === state.row;
    const at = chosenRow ? chosen - first : -1;
    return [
      ...rowMarks(state, change, state.top + index),
      ...keys.flatMap((key) => cell(key, index, chosenRow)),
      span('│ ', 'faint'),
      ...columns.flatMap((column, position) => cell(column, index, position === at)),
    ];
  });
  return [heading, ...lines];
}

function columnOf(
  state: State,
  table: TableOutline,
  sides: SidesCache,
  visible: readonly (NumberedChange | undefined)[],
  name: string,
  most: number,
): Column {
  const cells = visible.map(
    (change) => change && gridCell(change, sides.of(change, table.columns), name),
  );
  const type = table.columns.find((column) => column.name === name)?.type ?? '';
  const title = widthOf(titleOf(name, state)) + (state.types ? type.length + 1 : 0);
  const longest = Math.max(title, ...cells.map((line) => (line ? lineWidth(line) : 1)));
  const align = /^(?:smallint|integer|bigint|numeric|real|double)/.test(type) ? 'right' : 'left';
  return { name, type, cells, width: Math.min(most, longest), align };
}

/** Returns the columns from the first one that leaves the selected one visible. */
function onScreen(
  names: readonly string[],
  chosen: number,
  room: number,
  build: (name: string) => Column,
): { readonly first: number; readonly columns: readonly Column[] } {
  let first = Math.max(0, chosen - columnsBefore);
  const columns: Column[] = [];
  let used = 0;
  for (let index = first; index < names.length && (index <= chosen || used < room); index += 1) {
    const column = build(names[index] ?? '');
    columns.push(column);
    used += column.width + 1;
    while (index <= chosen && used > room && columns.length > 1) {
      used -= (columns.shift()?.width ?? 0) + 1;
      first += 1;
    }
  }
  const over = used - room;
  const last = columns.at(-1);
  if (last && over > 0)
    columns[columns.length - 1] = { ...last, width: Math.max(1, last.width - over) };
  return { first, columns };
}

/** Returns a column's name, marked if the rows are sorted by it. */
function titleOf(name: string, state: State): string {
  const sort = sortOf(state);
  return `${nameCell(name)}${sort?.column === name ? (sort.descending ? '↓' : '↑') : ''}`;
}

function headingCell({ name, type, width, align }: Column, state: State): Span[] {
  const title = [
    span(titleOf(name, state), 'strong'),
    ...(state.types ? [span(` ${type}`, 'faint')] : []),
  ];
  return [...aligned(title, width, align), span(' ')];
}

function cell({ cells, width, align }: Column, index: number, chosen: boolean): Span[] {
  const content = cells[index] ?? [span('…', 'faint')];
  const shown = aligned(content, width, align);
  const marked = chosen ? shown.map(({ text }) => span(text, 'chosen')) : shown;
  return [...marked, span(' ')];
}

function aligned(line: Line, width: number, align: 'left' | 'right'): Line {
  const gap = width - lineWidth(line);
  if (align === 'left' || gap <= 0) return fitLine(line, width);
  return [span(' '.repeat(gap)), ...line];
}

/** Draws the marks before a change: selection or range, part, operation, reviewed, commented. */
function rowMarks(state: State, change: NumberedChange | undefined, index: number): Span[] {
  const { row, anchor } = state;
  const inRange =
    anchor !== null && index >= Math.min(anchor, row) && index <= Math.max(anchor, row);
  const pointer = index === row ? '>' : inRange ? '|' : ' ';
  if (change === undefined) return [span(`${pointer}     `)];
  const { sign, style } = signs[change.type];
  const isPart = isRowMarked(state.part, change);
  return [
    span(pointer, 'strong'),
    span(isPart ? '*' : ' ', 'accent'),
    span(sign, style),
    span(isReviewed(state, change) ? ' ✓' : '  ', 'accent'),
    span(state.commented.has(rowKey(change.table, change.rowId)) ? '"' : ' ', 'accent'),
  ];
}

function stacked(state: State, table: TableOutline, sides: SidesCache, height: number): Line[] {
  const block = (index: number) => blockOf(state, table, sides, index);
  let start = state.top;
  const lines: Line[][] = [];
  for (let index = start; index <= state.row; index += 1) lines.push(block(index));
  const total = () => lines.reduce((sum, { length }) => sum + length, 0);
  while (total() > height && lines.length > 1) {
    lines.shift();
    start += 1;
  }
  for (let index = state.row + 1; total() < height && index < listLength(state); index += 1) {
    lines.push(block(index));
  }
  return lines.flat();
}

function blockOf(state: State, table: TableOutline, sides: SidesCache, index: number): Line[] {
  const change = state.changes.get(index);
  const marks = rowMarks(state, change, index);
  if (change === undefined) return [[...marks, span('…', 'faint')]];
  const both = sides.of(change, table.columns);
  const names = table.columns
    .map(({ name }) => name)
    .filter((name) => isChanged(change, both, name));
  return [
    [...marks, span(keyCell(change.rowId), index === state.row ? 'chosen' : 'strong')],
    ...names.map((name) => [span(`      ${nameCell(name)}: `), ...gridCell(change, both, name)]),
  ];
}
