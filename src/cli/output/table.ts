/** Formats rows: aligned for people, tab-separated for pipes, for spreadsheets, and for comments. */
import type { Paint } from './colour.ts';
import { csvLine, csvText } from './csv.ts';
import { markdownCell, markdownRow } from './markdown.ts';

/** Characters that take two columns, and those that take none. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const combining = /\p{M}/u;

/** Returns the number of terminal columns of a sanitized text. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!combining.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** Pads a text with spaces to a width in terminal columns. @param side where the spaces go */
export function pad(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return side === 'left' ? spaces + text : text + spaces;
}

export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

export type RowsForm = 'table' | 'tsv' | 'csv' | 'markdown';

/** Formats rows. The first call also writes the heading, if the format has one. */
export type WriteRows = (rows: readonly (readonly string[])[]) => string;

/** Makes the writer of a format. Cells are already sanitized: they contain no tab and no line break. */
export function createRowsWriter(
  form: RowsForm,
  columns: readonly TableColumn[],
  paint: Paint,
): WriteRows {
  const titles = columns.map(({ title }) => title);
  let heading = true;
  const headed =
    (first: () => string, write: WriteRows): WriteRows =>
    (rows) => {
      const text = (heading ? first() : '') + write(rows);
      heading = false;
      return text;
    };
  switch (form) {
    case 'tsv':
      return (rows) => rows.map((row) => `${row.join('\t')}\n`).join('');
    case 'csv':
      return headed(
        () => csvLine(titles),
        (rows) => rows.map((row) => csvLine(row.map(csvText))).join(''),
      );
    case 'markdown':
      return headed(
        () =>
          markdownRow(titles) +
          markdownRow(columns.map(({ align }) => (align === 'right' ? '--:' : '---'))),
        (rows) => rows.map((row) => markdownRow(row.map(markdownCell))).join(''),
      );
    case 'table':
      return alignedWriter(columns, paint);
  }
}

/** Writes an aligned table, whose last column is not padded. Columns do not get narrower on later pages. */
function alignedWriter(columns: readonly TableColumn[], paint: Paint): WriteRows {
  let widths = columns.map(({ title }) => displayWidth(title));
  let heading = true;
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        if (columns[index]?.align === 'right') return pad(cell, widths[index] ?? 0, 'left');
        return index === columns.length - 1 ? cell : pad(cell, widths[index] ?? 0);
      })
      .join('  ')
      .trimEnd();
  return (rows) => {
    widths = widths.map((width, index) =>
      rows.reduce((most, row) => Math.max(most, displayWidth(row[index] ?? '')), width),
    );
    const titles = columns.map(({ title }) => title.toUpperCase());
    const lines = [...(heading ? [paint('heading', line(titles))] : []), ...rows.map(line)];
    heading = false;
    return lines.map((text) => `${text}\n`).join('');
  };
}
