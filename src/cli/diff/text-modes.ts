/** How the cells of one change are laid out in text. */

import { nameCell } from '../../client/cell.ts';
import type { Value } from '../../client/values.ts';
import { columnCell } from '../../client/values.ts';
import type { Change } from '../../model/change.ts';
import type { Paint } from '../colour.ts';
import { displayWidth, pad } from '../table.ts';
import type { Cell, ShownChange } from './format.ts';
import { cellsOf, isChanged } from './format.ts';

export const textModes = ['line', 'context', 'stacked', 'side-by-side'] as const;
export type TextMode = (typeof textModes)[number];

/** Writes a change's cells: what stands behind its heading, then the lines below it. None depends on a terminal's width. */
export const layouts: Readonly<
  Record<TextMode, (change: ShownChange, paint: Paint) => readonly string[]>
> = {
  line: (change, paint) => {
    const cells = shownCells(change);
    return [cells.length === 0 ? storedAnew : inLine(change, cells, paint)];
  },
  context: (change, paint) => [inLine(change, cellsOf(change), paint)],
  stacked: (change, paint) => {
    const cells = shownCells(change);
    return ['', ...aligned(cells, (cell) => cellText(change, cell, paint))];
  },
  'side-by-side': (change, paint) => {
    const cells = shownCells(change);
    const left = widest(cells.map(({ before }) => sideText(before)));
    const sides = ({ before, after }: Cell) => {
      const gap = ' '.repeat(left - displayWidth(sideText(before)));
      return `${paint('removed', sideText(before))}${gap}  |  ${paint('added', sideText(after))}`;
    };
    return ['', ...aligned(cells, sides)];
  },
};

/** What an update has changed of which no value can be told: PostgreSQL may keep the same value in several ways. */
const storedAnew = '(the same values, stored in another way)';

/** Of an update what it changed; rows that come or go whole. */
function shownCells(change: ShownChange): Cell[] {
  const cells = cellsOf(change);
  return change.type === 'UPDATE' ? cells.filter(isChanged) : cells;
}

function inLine(change: Change, cells: readonly Cell[], paint: Paint): string {
  const text = (cell: Cell) => `${nameCell(cell.name)}: ${cellText(change, cell, paint)}`;
  return cells
    .map((cell) => (isChanged(cell) ? text(cell) : paint('faint', text(cell))))
    .join('  ');
}

function cellText({ type }: Change, cell: Cell, paint: Paint): string {
  const { before, after } = cell;
  if (type !== 'UPDATE' || !isChanged(cell)) return updatedText(after ?? before);
  return `${paint('removed', updatedText(before))} → ${paint('added', updatedText(after))}`;
}

/** Of an updated row, a column that only one side has was added or removed in between. */
function updatedText(value: Value | undefined): string {
  return value === undefined ? '(no column)' : columnCell(value);
}

/** Side by side, an inserted row has nothing to its left, a deleted one nothing to its right. */
function sideText(value: Value | undefined): string {
  return value === undefined ? '' : columnCell(value);
}

/** One line a cell, the values below each other. */
function aligned(cells: readonly Cell[], value: (cell: Cell) => string): string[] {
  const width = widest(cells.map(({ name }) => nameCell(name)));
  return cells.map((cell) => `      ${pad(nameCell(cell.name), width)}  ${value(cell)}`.trimEnd());
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}
