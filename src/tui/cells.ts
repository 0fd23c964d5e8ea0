/** The cells of a change: each column's old and new value, and the parts that differ. */
import { differencesInside } from '../client/json-diff.ts';
import { sanitize } from '../client/sanitize.ts';
import type { KnownColumn, Row, Value } from '../client/values.ts';
import { columnCell, isSame, plainText, valuesOf } from '../client/values.ts';
import { wordDifferences } from '../client/word-diff.ts';
import type { Change } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import type { Span } from './terminal/line.ts';
import { span } from './terminal/line.ts';

/** Both sides of a change by column. A column is undefined on a side that lacks it. */
export interface Sides {
  readonly before: Row;
  readonly after: Row;
  /** The changed cells computed so far. */
  readonly cells: Map<string, Span[]>;
}

/** Splits changes into their sides, each change once: consecutive frames show the same changes. */
export class SidesCache {
  readonly #known = new WeakMap<Change, Sides>();

  /**
   * Returns the sides of a change.
   * @param columns the columns of the change's table, which are the same from frame to frame
   */
  of(change: Change, columns: readonly KnownColumn[]): Sides {
    const known = this.#known.get(change);
    if (known) return known;
    const sides = {
      before: valuesOf(change.before, change.texts, 'before', columns),
      after: valuesOf(change.after, change.texts, 'after', columns),
      cells: new Map<string, Span[]>(),
    };
    this.#known.set(change, sides);
    return sides;
  }
}

/** Returns whether an update changes a column; true for every column of an insert or delete. */
export function isChanged(change: Change, { before, after }: Sides, column: string): boolean {
  return change.type !== 'UPDATE' || !isSame(before.get(column), after.get(column));
}

/** Formats a value in at most `most` characters of its text, followed by its size if it is longer. */
export function shortCell(value: Value | undefined, most: number): string {
  if (value === undefined) return '(no column)';
  if (value.isBytes) return columnCell(value);
  const text = plainText(value);
  if (text === null || text.length <= most) return columnCell(value);
  return shortText(text, most);
}

/** Formats at most `most` characters of a text, followed by its size if it is longer. */
export function shortText(text: string, most: number): string {
  if (text.length <= most) return sanitize(text);
  const size = Buffer.byteLength(text).toLocaleString('en-US');
  return `${sanitize([...text.slice(0, most)].join(''))}… (${size} bytes)`;
}

/** The maximum number of characters of a value in a grid; no cell is wider. */
const gridText = 120;

/** Returns the cell of a grid: the value, or before → after with the differences marked. */
export function gridCell(change: Change, sides: Sides, column: string): Span[] {
  const before = sides.before.get(column);
  const after = sides.after.get(column);
  if (change.type === 'INSERT') return [span(shortCell(after, gridText), 'added')];
  if (change.type === 'DELETE') return [span(shortCell(before, gridText), 'removed')];
  if (isSame(before, after)) return [span(shortCell(before, gridText), 'faint')];
  const known = sides.cells.get(column);
  if (known) return known;
  const cell = changedCell(before, after);
  sides.cells.set(column, cell);
  return cell;
}

function changedCell(before: Value | undefined, after: Value | undefined): Span[] {
  const [old, now] = [shortCell(before, gridText), shortCell(after, gridText)];
  const isBytes = before?.isBytes ?? after?.isBytes ?? false;
  const parts = partSpans(before, after);
  if (parts !== null) return parts;
  if (isBytes || (old.length + now.length < 32 && old !== now)) return arrow(old, now);
  return shortened(nearDifference(before, after) ?? arrow(old, now));
}

/** The maximum number of parts of a document in a cell. */
const mostParts = 3;
/** The combined length up to which documents are compared in the grid, as a frame has many cells. The detail compares longer ones, too. */
const longestDocument = 20_000;

/** Returns the differing parts of two documents, with their paths; null if there are none or too many. */
function partSpans(before: Value | undefined, after: Value | undefined): Span[] | null {
  const length = (before?.json.text.length ?? 0) + (after?.json.text.length ?? 0);
  if (length > longestDocument) return null;
  const parts = differencesInside(before, after);
  if (parts.length === 0 || parts.length > mostParts || parts[0]?.path === '') return null;
  const side = (json: JsonText | undefined) =>
    json === undefined ? '(not there)' : shortText(json.text, gridText);
  return parts.flatMap(({ path, before: old, after: now }, index) => [
    span(`${index === 0 ? '' : '  '}${path}: `, 'accent'),
    ...arrow(side(old), side(now)),
  ]);
}

/** Returns the surroundings of the first difference of two texts or documents; null if a side is missing or NULL. */
export function nearDifference(before: Value | undefined, after: Value | undefined): Span[] | null {
  const [old, now] = [before, after].map((value) => (value ? plainText(value) : null));
  return old == null || now == null ? null : markedDifference(...aroundDifference(old, now));
}

export const arrow = (old: string, now: string): Span[] => [
  span(old, 'removed'),
  span(' → ', 'strong'),
  span(now, 'added'),
];

/** The number of unchanged characters that are shown on each side of a difference. */
const context = 10;

/** Returns the surroundings of the first difference of two texts, sanitized, so that a late difference is not cut off. */
function aroundDifference(old: string, now: string): [string, string] {
  let same = 0;
  while (same < old.length && old[same] === now[same]) same += 1;
  const start = Math.max(0, same - 2 * context);
  const piece = (text: string) => sanitize(text.slice(start, start + 4 * gridText));
  const dots = start > 0 ? '…' : '';
  return [dots + piece(old), dots + piece(now)];
}

/** Shortens unchanged text to what is next to a difference. */
function shortened(spans: readonly Span[]): Span[] {
  return spans.map(({ text, style }, index) => {
    const characters = [...text];
    if (style !== 'faint' || characters.length <= 2 * context + 1) return span(text, style);
    const head = index === 0 ? '' : characters.slice(0, context).join('');
    const tail = index === spans.length - 1 ? '' : characters.slice(-context).join('');
    return span(`${head}…${tail}`, style);
  });
}

/** Returns one text with removed and added parts marked as `[-old-]{+new+}`, since no meaning depends on colour alone. */
export function markedDifference(old: string, now: string): Span[] {
  return wordDifferences(old, now).map(({ kind, text }): Span => {
    if (kind === 'same') return span(text, 'faint');
    return kind === 'removed' ? span(`[-${text}-]`, kind) : span(`{+${text}+}`, kind);
  });
}
