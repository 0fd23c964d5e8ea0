/** The layouts of the cells of one change in text. */

import type { Value } from '../../client/values.ts';
import type { Change } from '../../model/change.ts';
import type { Paint } from '../output/colour.ts';
import { displayWidth, pad } from '../output/table.ts';
import type { Cell, ShownChange } from './format.ts';
import { cellsOf, changedParts, isChanged, partsOf, sideOf } from './format.ts';

export const textModes = ['line', 'context', 'stacked', 'side-by-side'] as const;
export type TextMode = (typeof textModes)[number];

/** Lay out a change's cells: first the text after its heading, then the lines below it. No layout depends on a terminal's width. */
export const layouts: Readonly<
  Record<TextMode, (change: ShownChange, paint: Paint) => readonly string[]>
> = {
  line: (change, paint) => {
    const cells = shownCells(change);
    return [cells.length === 0 ? storedAnew : inLine(change, cells, paint)];
  },
  context: (change, paint) => [inLine(change, allCells(change), paint)],
  stacked: (change, paint) => {
    const cells = shownCells(change);
    return ['', ...aligned(cells, (cell) => cellText(change, cell, paint))];
  },
  'side-by-side': (change, paint) => {
    const cells = shownCells(change);
    const left = widest(cells.map((cell) => sideText(cell, cell.before)));
    const sides = (cell: Cell) => {
      const [old, now] = [sideText(cell, cell.before), sideText(cell, cell.after)];
      const gap = ' '.repeat(left - displayWidth(old));
      return `${paint('removed', old)}${gap}  |  ${paint('added', now)}`;
    };
    return ['', ...aligned(cells, sides)];
  },
};

/** The text for an update whose values look the same, as PostgreSQL can store a value in several ways. */
const storedAnew = '(the same values, stored in another way)';

/** Returns the changed cells of an update, or all cells of an inserted or deleted row. */
function shownCells(change: ShownChange): Cell[] {
  return change.type === 'UPDATE' ? changedParts(change) : cellsOf(change);
}

function allCells(change: ShownChange): Cell[] {
  if (change.type !== 'UPDATE') return cellsOf(change);
  return cellsOf(change).flatMap((cell) => (isChanged(cell) ? partsOf(cell) : [cell]));
}

function inLine(change: Change, cells: readonly Cell[], paint: Paint): string {
  const text = (cell: Cell) => `${cell.label}: ${cellText(change, cell, paint)}`;
  return cells
    .map((cell) => (isChanged(cell) ? text(cell) : paint('faint', text(cell))))
    .join('  ');
}

function cellText({ type }: Change, cell: Cell, paint: Paint): string {
  const { before, after } = cell;
  if (type !== 'UPDATE' || !isChanged(cell)) return sideOf(cell, after ?? before);
  const sides = [paint('removed', sideOf(cell, before)), paint('added', sideOf(cell, after))];
  return sides.join(` ${paint.signs.arrow} `);
}

/** Returns one side; empty if it has no value, as for inserted and deleted rows. */
function sideText(cell: Cell, value: Value | undefined): string {
  return value === undefined ? '' : sideOf(cell, value);
}

/** Returns one line per cell, with the values aligned. */
function aligned(cells: readonly Cell[], value: (cell: Cell) => string): string[] {
  const width = widest(cells.map(({ label }) => label));
  return cells.map((cell) => `      ${pad(cell.label, width)}  ${value(cell)}`.trimEnd());
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}
