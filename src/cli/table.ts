/** Tables for people (aligned, with a heading) and for pipes (one record a line, columns divided by tabs). */
import type { Paint } from './colour.ts';

/** Code points that take two columns, and those that take none of their own. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const combining = /\p{M}/u;

/** Number of terminal columns that a sanitised text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!combining.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** Fills a text up with spaces to a width. */
function pad(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return side === 'left' ? spaces + text : text + spaces;
}

export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Lays out rows under a heading. Cells are sanitised already; the last column is not filled up. */
export function alignedTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string[] {
  const widths = columns.map(({ title }, index) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[index] ?? '')), displayWidth(title)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        if (columns[index]?.align === 'right') return pad(cell, widths[index] ?? 0, 'left');
        return index === columns.length - 1 ? cell : pad(cell, widths[index] ?? 0);
      })
      .join('  ')
      .trimEnd();
  return [
    paint('heading', line(columns.map(({ title }) => title.toUpperCase()))),
    ...rows.map(line),
  ];
}

/** One line a row, for scripts: sanitised cells hold no tab and no newline. */
export function tabbedTable(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => row.join('\t'));
}
