/** A diff as text: each table under its name and followed by its counts; `+` inserted, `~` updated, `-` deleted. */

import { keyCell, tableCell } from '../../client/cell.ts';
import type { DiffReader } from '../../client/diff-reader.ts';
import {
  changesHidden,
  countsInWords,
  furtherExplained,
  nothingInWords,
  triggersInWords,
} from '../../client/words.ts';
import type { ChangeCounts, Operation } from '../../model/change.ts';
import { changesIn } from '../../model/change.ts';
import type { Paint, Style } from '../output/colour.ts';
import type { DiffFormat, Ending, ShownChange } from './format.ts';
import { isEmpty } from './format.ts';
import { walkedFormat } from './table-walk.ts';
import type { TextMode } from './text-modes.ts';
import { layouts } from './text-modes.ts';

const marks: Readonly<Record<Operation, { readonly sign: string; readonly style: Style }>> = {
  INSERT: { sign: '+', style: 'added' },
  UPDATE: { sign: '~', style: 'changed' },
  DELETE: { sign: '-', style: 'removed' },
};

/** Creates the format. @param reader the reader of its changes */
export function createTextFormat(reader: DiffReader, paint: Paint, mode: TextMode): DiffFormat {
  const heading = (table: string) => paint('heading', tableCell(table));
  const closed = (counts: ChangeCounts) => {
    const triggers = triggersInWords(reader.triggersOf(counts.table));
    return [
      ...(triggers === null ? [] : [paint('changed', `  ! ${triggers}`)]),
      paint('faint', `  ${countsInWords(counts)}`),
      '',
    ];
  };
  return walkedFormat(reader, {
    open: (table) => linesText([heading(table)]),
    row: (change) => linesText(changeLines(change, paint, mode)),
    close: (table) => linesText(closed(reader.countsOf(table))),
    passed: (counts) =>
      linesText([
        heading(counts.table),
        ...(counts.hidden ? [`  ${changesHidden(counts)}`] : []),
        ...closed(counts),
      ]),
    end: (ending) => linesText(closingLines(ending, reader, paint)),
  });
}

/** Returns the lines of a change, headed by its sign and key. */
export function changeLines(change: ShownChange, paint: Paint, mode: TextMode): string[] {
  const { sign, style } = marks[change.type];
  const [first = '', ...rest] = layouts[mode](change, paint);
  return [`  ${paint(style, `${sign} ${keyCell(change.rowId)}`)}  ${first}`.trimEnd(), ...rest];
}

/** Returns the lines that summarize a diff: its counts, and the digest that `approve` takes. */
export function closingLines(
  { shown, totals }: Ending,
  { digest, isRejected }: DiffReader,
  paint: Paint,
): string[] {
  if (isEmpty(totals)) return [nothingInWords(isRejected)];
  const all = changesIn(totals);
  const tables = totals.tables === 1 ? '1 table' : `${totals.tables} tables`;
  return [
    ...(shown < all ? [`${shown} of ${all} changes shown`] : []),
    paint('heading', `${countsInWords(totals)} in ${tables}`),
    ...(totals.furtherChanges === 0 ? [] : [furtherExplained]),
    ...(digest === null ? [] : [paint('faint', `digest ${digest}`)]),
  ];
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
