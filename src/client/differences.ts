/** Values that production's triggers set other than they did while staging: reads and describes them. */
import type { JsonText } from '../model/json.ts';
import { keyCell, nameCell, tableCell, valueCell } from './cell.ts';
import { Fields } from './fields.ts';

export interface Differences {
  readonly count: number;
  /** The number of those that are neither times nor random values. */
  readonly unexpected: number;
  /** The first of them. */
  readonly rows: readonly Difference[];
}

interface Difference {
  readonly table: string;
  readonly rowId: JsonText;
  readonly field: string;
  readonly staged: JsonText | null;
  readonly landed: JsonText | null;
  /** `time` or `random`; null if nothing explains it. */
  readonly expected: string | null;
}

/** Reads the member `differences` of an approval or a rehearsal; null if there is none. */
export function readDifferences(fields: Fields): Differences | null {
  const found = fields.object('differences');
  return (
    found && {
      count: found.number('count'),
      unexpected: found.number('unexpected'),
      rows: found.list('rows').map(readDifference),
    }
  );
}

function readDifference(json: JsonText): Difference {
  const fields = new Fields(json);
  return {
    table: fields.required('table'),
    rowId: fields.json('row_id') ?? json,
    field: fields.required('field'),
    staged: fields.json('staged'),
    landed: fields.json('landed'),
    expected: fields.text('expected'),
  };
}

/** Summarizes them: `3 values other than while staging, 1 of them unexpected`. */
export function differencesInWords({ count, unexpected }: Differences): string {
  const values = `${count} ${count === 1 ? 'value' : 'values'} other than while staging`;
  return `${values}, ${unexpected === 0 ? 'all expected' : `${unexpected} of them unexpected`}`;
}

/** Returns a line for each that is listed: `products 2  price 8.00 → 8.01`, with `(time)` and the like behind expected ones. */
export const differenceLines = ({ rows }: Differences): string[] =>
  rows.map(({ table, rowId, field, staged, landed, expected }) => {
    const values = `${nameCell(field)} ${cellOf(staged)} → ${cellOf(landed)}`;
    const mark = expected === null ? '' : ` (${expected})`;
    return `  ${tableCell(table)} ${keyCell(rowId)}  ${values}${mark}`;
  });

const cellOf = (value: JsonText | null) => (value === null ? 'NULL' : valueCell(value));
