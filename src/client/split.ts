/** Requests about a part of a session, and the response to a split. */
import { splitShape } from '../model/edits.ts';
import type { JsonObject, JsonText } from '../model/json.ts';
import type { Noun } from '../model/shape.ts';
import { readSession } from './decode.ts';
import type { Edited, RowChoice } from './edits.ts';
import { rowsBody, rowsInWords } from './edits.ts';
import { readerOf } from './read-noun.ts';

/** A part of what a session has staged. */
export interface PartChoice {
  readonly rows: readonly RowChoice[];
  /** Whether rows that are tied to these are included. */
  readonly withTies: boolean;
}

/** The new session, and its rows. */
export type SplitReport = Edited & Noun<typeof splitShape>;

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
  /** When it is applied: a time, or `window`; omitted for at once. */
  readonly at?: string | undefined;
  /** The reason of an approval past the policy. */
  readonly breakGlass?: string | undefined;
}

/** Converts an approval to the body of its request. */
export const approvalBody = ({ approvedBy, digest, part, at, breakGlass }: ApprovalRequest) => ({
  approved_by: approvedBy,
  digest,
  at,
  break_glass: breakGlass,
  ...(part && partBody(part)),
});

const readPart = readerOf(splitShape);

/** Reads the response to a split. */
export const readSplit = (json: JsonText): SplitReport => ({
  session: readSession(json),
  ...readPart(json),
});

/** Returns `Split off: products 1, orders 2.` */
export const splitOffInWords = ({ partTables }: SplitReport) =>
  `Split off: ${rowsInWords(partTables)}.`;
