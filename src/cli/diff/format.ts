/** What all forms of a diff have in common: they are written change by change, while the diff is read. */
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import { membersOf } from '../../client/fields.ts';
import { sumOf } from '../../client/words.ts';
import type { Change, ChangeCounts } from '../../model/change.ts';
import { JsonText } from '../../model/json.ts';

/** A form of the diff. Texts end with a line break where one belongs, and hold nothing that acts on a terminal. */
export interface DiffFormat {
  /** The text of a change, after all that has to stand before it. */
  change(change: ReadChange): string;
  /** The text that closes the diff. */
  end(ending: Ending): string;
}

export interface Ending {
  /** How many changes were given to the form. */
  readonly shown: number;
  readonly totals: Totals;
}

/** What the whole diff has, or the one table of it that was asked for. */
export interface Totals extends Omit<ChangeCounts, 'table'> {
  readonly tables: number;
}

/** Sums a diff up from what it says of itself: it need not be read to its end. */
export function totalsOf(reader: DiffReader, table?: string): Totals {
  if (table !== undefined) {
    const counts = sumOf(reader.counts);
    return { ...counts, tables: changesIn(counts) > 0 ? 1 : 0 };
  }
  const summary = membersOf(reader.head.get('summary') ?? nothing);
  const total = (name: string) => Number(summary.get(name)?.text ?? 0);
  return {
    inserts: total('total_inserts'),
    updates: total('total_updates'),
    deletes: total('total_deletes'),
    tables: total('tables_affected'),
  };
}

export function changesIn(counts: Omit<ChangeCounts, 'table'>): number {
  return counts.inserts + counts.updates + counts.deletes;
}

/** One column of a changed row; undefined on a side that has no such column, or no row at all. */
export interface Cell {
  readonly name: string;
  readonly before: JsonText | undefined;
  readonly after: JsonText | undefined;
}

const nothing = new JsonText('{}');

/** All columns of a changed row, in the order of the row. */
export function cellsOf({ before, after }: Change): Cell[] {
  const [old, now] = [membersOf(before ?? nothing), membersOf(after ?? nothing)];
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].map((name) => ({ name, before: old.get(name), after: now.get(name) }));
}

export function isChanged({ before, after }: Cell): boolean {
  return before?.text !== after?.text;
}
