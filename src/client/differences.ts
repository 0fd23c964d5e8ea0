/** Reads and describes values that production's triggers set other than they did while staging. */
import type { Differences } from '../model/differences.ts';
import { differencesShape } from '../model/differences.ts';
import type { JsonText } from '../model/json.ts';
import { membersOf } from '../model/json-members.ts';
import { keyCell, nameCell, tableCell, valueCell } from './cell.ts';
import { readerOf } from './read-noun.ts';
import { unicodeSigns } from './signs.ts';

const readAll = readerOf(differencesShape);

/** Reads those of an approval; null if there are none. */
export function readDifferences(approval: JsonText): Differences | null {
  const found = membersOf(approval).get('differences');
  return found === undefined ? null : readAll(found);
}

/** Summarizes them: `3 values other than while staging, 1 of them unexpected`. */
export function differencesInWords({ count, unexpected }: Differences): string {
  const values = `${count} ${count === 1 ? 'value' : 'values'} other than while staging`;
  return `${values}, ${unexpected === 0 ? 'all expected' : `${unexpected} of them unexpected`}`;
}

/** Returns a line for each that is listed: `products 2  price 8.00 → 8.01`, with `(time)` and the like behind expected ones. */
export const differenceLines = ({ rows }: Differences, { arrow } = unicodeSigns): string[] =>
  rows.map(({ table, rowId, field, staged, landed, expected }) => {
    const values = `${nameCell(field)} ${cellOf(staged)} ${arrow} ${cellOf(landed)}`;
    const mark = expected === null ? '' : ` (${expected})`;
    return `  ${tableCell(table)} ${keyCell(rowId)}  ${values}${mark}`;
  });

const cellOf = (value: JsonText | null) => (value === null ? 'NULL' : valueCell(value));
