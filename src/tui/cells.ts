/** The cells of a change: what each column was, what it becomes, and which parts of it differ. */
import { valueCell } from '../client/cell.ts';
import { membersOf } from '../client/fields.ts';
import { sanitize } from '../client/sanitize.ts';
import type { Change } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import type { Span } from './line.ts';
import { span } from './line.ts';
import { wordDifferences } from './word-diff.ts';

/** Both sides of a change by column; a column that one side lacks is undefined there. */
export interface Sides {
  readonly before: ReadonlyMap<string, JsonText>;
  readonly after: ReadonlyMap<string, JsonText>;
}

const nothing = new JsonText('{}');

/** Takes changes apart, each once: a frame shows the same ones as the frame before. */
export class SidesCache {
  readonly #known = new WeakMap<Change, Sides>();

  of(change: Change): Sides {
    const known = this.#known.get(change);
    if (known) return known;
    const sides = {
      before: membersOf(change.before ?? nothing),
      after: membersOf(change.after ?? nothing),
    };
    this.#known.set(change, sides);
    return sides;
  }
}

/** Columns in which an update differs; all of an insert or a delete. */
export function isChanged(change: Change, { before, after }: Sides, column: string): boolean {
  return change.type !== 'UPDATE' || before.get(column)?.text !== after.get(column)?.text;
}

/** Shows a value in at most so many characters of its text; of a longer one, how long it is. */
export function shortCell(value: JsonText | undefined, most: number): string {
  if (value === undefined) return '(no column)';
  if (value.text.length <= most) return valueCell(value);
  const text = value.text.startsWith('"') ? (JSON.parse(value.text) as string) : value.text;
  if (text.length <= most) return valueCell(value);
  const size = Buffer.byteLength(text).toLocaleString('en-US');
  return `${sanitize([...text.slice(0, most)].join(''))}… (${size} bytes)`;
}

/** Characters of a value that a grid looks at: no cell is wider. */
const gridText = 120;

/** The cell of a grid: the value, or before → after with what differs marked. */
export function gridCell(change: Change, sides: Sides, column: string, colours: boolean): Span[] {
  const before = sides.before.get(column);
  const after = sides.after.get(column);
  if (change.type === 'INSERT') return [span(shortCell(after, gridText), 'added')];
  if (change.type === 'DELETE') return [span(shortCell(before, gridText), 'removed')];
  if (before?.text === after?.text) return [span(shortCell(before, gridText), 'faint')];
  const [old, now] = [shortCell(before, gridText), shortCell(after, gridText)];
  if (old.length + now.length < 24) {
    return [span(old, 'removed'), span(' → ', 'strong'), span(now, 'added')];
  }
  return markedDifference(old, now, colours);
}

/** One text with what was taken out and what was put in, marked by colour and, without colours, as `[-old-]{+new+}`. */
export function markedDifference(old: string, now: string, colours: boolean): Span[] {
  return wordDifferences(old, now).flatMap((part): Span[] => {
    if (part.kind === 'same') return [span(part.text, 'faint')];
    const marks = part.kind === 'removed' ? ['[-', '-]'] : ['{+', '+}'];
    const text = colours ? part.text : `${marks[0]}${part.text}${marks[1]}`;
    return [span(text, part.kind)];
  });
}
