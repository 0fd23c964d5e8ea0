/** Requests about a part of a session, and the response to a split. */
import type { JsonObject, JsonText } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import { tableCell } from './cell.ts';
import { readSession } from './decode.ts';
import { Fields } from './fields.ts';
import type { RowChoice, RowReport } from './unstage.ts';
import { readRow, rowsBody } from './unstage.ts';

/** A part of what a session has staged. */
export interface PartChoice {
  readonly rows: readonly RowChoice[];
  /** Whether rows that are tied to these are included. */
  readonly withTies: boolean;
}

export interface SplitReport {
  /** The new session. */
  readonly session: Session;
  /** The number of its rows by table. */
  readonly counts: readonly { readonly table: string; readonly rows: number }[];
  /** The first of the rows that were included without being chosen. */
  readonly tied: readonly RowReport[];
}

/** Converts a part to the members of a request. */
export function partBody({ rows, withTies }: PartChoice): JsonObject {
  return { only: rowsBody(rows), with_ties: withTies };
}

export interface ApprovalRequest {
  /** The approver, for the audit. */
  readonly approvedBy: string | undefined;
  /** The digest of the reviewed diff. */
  readonly digest: string | undefined;
  /** The part to apply; omitted for the whole. */
  readonly part?: PartChoice | undefined;
}

/** Converts an approval to the body of its request. */
export const approvalBody = ({ approvedBy, digest, part }: ApprovalRequest) => ({
  approved_by: approvedBy,
  digest,
  ...(part && partBody(part)),
});

export function readSplit(json: JsonText): SplitReport {
  const fields = new Fields(json);
  const counts = fields.list('part_tables').map((each) => {
    const counted = new Fields(each);
    return { table: counted.required('table'), rows: counted.number('rows') };
  });
  return { session: readSession(json), counts, tied: fields.list('tied').map(readRow) };
}

/** Returns `Split off: products 1, orders 2.` */
export const splitOffInWords = ({ counts }: SplitReport) =>
  `Split off: ${counts.map(({ table, rows }) => `${tableCell(table)} ${rows}`).join(', ')}.`;
