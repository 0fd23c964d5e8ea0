/** Edits of a session: the rows and conflicts that requests name, and the readers of the responses. */
import type { RowReport } from '../model/edits.ts';
import { resolvedShape, revertedShape, unstagedRowShape, unstagedShape } from '../model/edits.ts';
import type { JsonText } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import type { Noun } from '../model/shape.ts';
import { tableCell } from './cell.ts';
import { readSession } from './decode.ts';
import { readerOf } from './read-noun.ts';

/** A staged row, or all staged rows of a table. */
export interface RowChoice {
  readonly table: string;
  /** The key of a row as JSON; omitted for all rows of the table. */
  readonly rowId?: JsonText | undefined;
}

export type Side = 'mine' | 'theirs';

/** A row, or a column of it, whose conflicts are resolved. */
export interface ConflictChoice {
  readonly table: string;
  /** The key of a row as JSON. */
  readonly rowId: JsonText;
  readonly field?: string | undefined;
  /** The value that the reviewer saw in production. The request is refused if production now has another one. */
  readonly productionCurrent?: JsonText | undefined;
}

/** The session that an edit returns. */
export interface Edited {
  readonly session: Session;
}

export type ResolveReport = Edited & Noun<typeof resolvedShape>;
export type RevertReport = Edited & Noun<typeof revertedShape>;
export type UnstageReport = Edited &
  Noun<typeof unstagedShape> & {
    /** The first of the rows that were removed without being requested. */
    readonly dependents: readonly RowReport[];
  };

const readResolution = readerOf(resolvedShape);
const readSkipped = readerOf(revertedShape);
const readRemoved = readerOf(unstagedShape);

export const readRow = readerOf(unstagedRowShape);

/** Reads the response to a resolution of conflicts. */
export const readResolved = (json: JsonText): ResolveReport => ({
  session: readSession(json),
  ...readResolution(json),
});

/** Reads the response to a revert. */
export const readRevert = (json: JsonText): RevertReport => ({
  session: readSession(json),
  ...readSkipped(json),
});

/** Reads the response to an unstaging of rows. */
export function readUnstaged(json: JsonText): UnstageReport {
  const removed = readRemoved(json);
  const dependents = removed.unstaged.filter(({ dependent }) => dependent);
  return { session: readSession(json), ...removed, dependents };
}

/** Converts rows to the form that they have in requests. */
export const rowsBody = (rows: readonly RowChoice[]) =>
  rows.map(({ table, rowId }) => ({ table, ...(rowId ? { row_id: rowId } : {}) }));

/** Converts the conflicts to resolve to members of a request. @param choice null for all conflicts */
export function resolveBody(take: Side, choice: ConflictChoice | null) {
  if (choice === null) return { all: take };
  const { table, rowId, field, productionCurrent } = choice;
  return {
    resolutions: [{ table, row_id: rowId, field, take, production_current: productionCurrent }],
  };
}

/** Returns `1 settled, 2 left.` */
export const settledInWords = ({ resolved, conflicts }: ResolveReport) =>
  `${resolved.length} settled, ${conflicts.length} left.`;

/** Returns `products 1, orders 2`. */
export const rowsInWords = (counts: readonly { readonly table: string; readonly rows: number }[]) =>
  counts.map(({ table, rows }) => `${tableCell(table)} ${rows}`).join(', ');

/** Returns `Taken out: products 1, orders 2.` */
export const takenOutInWords = ({ unstagedTables }: UnstageReport) =>
  `Taken out: ${rowsInWords(unstagedTables)}.`;
