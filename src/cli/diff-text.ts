/** Net row changes as lines of text, one change a line: `+` inserted, `~` updated, `-` deleted. */

import { keyCell, nameCell, valueCell } from '../client/cell.ts';
import type { DiffReader } from '../client/diff-reader.ts';
import { membersOf } from '../client/fields.ts';
import { countsInWords, sumOf } from '../client/words.ts';
import type { Change, ChangeCounts, Operation } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import type { Paint, Style } from './colour.ts';

const marks: Readonly<Record<Operation, { readonly sign: string; readonly style: Style }>> = {
  INSERT: { sign: '+', style: 'added' },
  UPDATE: { sign: '~', style: 'changed' },
  DELETE: { sign: '-', style: 'removed' },
};

const nothing = new JsonText('{}');

/** The line of one change: the mark, the row's key, then the full row, or of an update the changed cells. */
function changeLine(change: Change, paint: Paint): string {
  const { sign, style } = marks[change.type];
  const cells = change.type === 'UPDATE' ? changedCells(change, paint) : rowCells(change);
  return `  ${paint(style, `${sign} ${keyCell(change.rowId)}`)}  ${cells.join('  ')}`.trimEnd();
}

function rowCells(change: Change): string[] {
  return [...membersOf(change.after ?? change.before ?? nothing)].map(
    ([name, value]) => `${nameCell(name)}: ${valueCell(value)}`,
  );
}

function changedCells(change: Change, paint: Paint): string[] {
  const before = membersOf(change.before ?? nothing);
  const after = membersOf(change.after ?? nothing);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name)?.text !== after.get(name)?.text)
    .map((name) => {
      const [old, now] = [sideCell(before.get(name)), sideCell(after.get(name))];
      return `${nameCell(name)}: ${paint('removed', old)} → ${paint('added', now)}`;
    });
}

/** A column that only one side has was added or removed in between. */
function sideCell(value: JsonText | undefined): string {
  return value === undefined ? '(no column)' : valueCell(value);
}

/** Writes a diff as it is read: each table under its name and closed by its counts, at the end the total. */
export class DiffText {
  readonly #reader: DiffReader;
  readonly #paint: Paint;
  #table: string | null = null;

  constructor(reader: DiffReader, paint: Paint) {
    this.#reader = reader;
    this.#paint = paint;
  }

  /** Takes the next part of the diff's JSON and gives the lines that are now known. */
  push(text: string): string[] {
    return this.#reader.push(text).flatMap((change) => {
      const heading = change.table === this.#table ? [] : this.#turnTo(change.table);
      return [...heading, changeLine(change, this.#paint)];
    });
  }

  /** Says that the diff is over and gives the last lines. */
  end(): string[] {
    this.#reader.end();
    const { counts, digest } = this.#reader;
    const closing = [...this.#turnTo(null), totalLine(counts, this.#paint)];
    return digest === null || counts.length === 0
      ? closing
      : [...closing, this.#paint('faint', `digest ${digest}`)];
  }

  #turnTo(table: string | null): string[] {
    const counts = this.#reader.counts.find((entry) => entry.table === this.#table);
    this.#table = table;
    return [
      ...(counts ? [this.#paint('faint', `  ${countsInWords(counts)}`), ''] : []),
      ...(table === null ? [] : [this.#paint('heading', nameCell(table))]),
    ];
  }
}

/** The line that closes a diff. */
export function totalLine(counts: readonly ChangeCounts[], paint: Paint): string {
  if (counts.length === 0) return 'No changes.';
  const tables = counts.length === 1 ? '1 table' : `${counts.length} tables`;
  return paint('heading', `${countsInWords(sumOf(counts))} in ${tables}`);
}
