/** Reads the response to a request that removes staged rows from a session. */
import type { JsonText } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import { tableCell } from './cell.ts';
import { readSession } from './decode.ts';
import { Fields } from './fields.ts';

/** A staged row, or all staged rows of a table. */
export interface RowChoice {
  readonly table: string;
  /** The key of a row as JSON; omitted for all rows of the table. */
  readonly rowId?: JsonText | undefined;
}

/** A row that was removed, or would have to be. */
export interface RowReport {
  readonly table: string;
  /** Null if it is hidden. */
  readonly rowId: JsonText | null;
}

export interface UnstageReport {
  readonly session: Session;
  /** The number of removed rows by table. */
  readonly counts: readonly { readonly table: string; readonly rows: number }[];
  /** The first of the rows that were removed without being requested. */
  readonly dependents: readonly RowReport[];
}

/** Converts rows to the form that they have in requests. */
export const rowsBody = (rows: readonly RowChoice[]) =>
  rows.map(({ table, rowId }) => ({ table, ...(rowId ? { row_id: rowId } : {}) }));

export function readUnstaged(json: JsonText): UnstageReport {
  const fields = new Fields(json);
  const counts = fields.list('unstaged_tables').map((each) => {
    const counted = new Fields(each);
    return { table: counted.required('table'), rows: counted.number('rows') };
  });
  const dependents = fields
    .list('unstaged')
    .filter((each) => new Fields(each).json('dependent')?.text === 'true');
  return { session: readSession(json), counts, dependents: dependents.map(readRow) };
}

export function readRow(json: JsonText): RowReport {
  const fields = new Fields(json);
  return { table: fields.required('table'), rowId: fields.json('row_id') };
}

/** Returns `Taken out: products 1, orders 2.` */
export function takenOutInWords({ counts }: UnstageReport): string {
  return `Taken out: ${counts.map(({ table, rows }) => `${tableCell(table)} ${rows}`).join(', ')}.`;
}
