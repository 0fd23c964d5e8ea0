/** Rows of queries that return changes. */
import type { Row } from '../../db/database.ts';
import type { Change, Operation } from '../../model/change.ts';
import { JsonText } from '../../model/json.ts';
import { inOrder } from '../../model/member-order.ts';

export type ChangeRow = Row & {
  readonly operation: Operation;
  readonly row_id: string;
};

/**
 * Converts a row of a diff to the model's change.
 * @param key the columns of the table's key, in order; empty if they are not known
 */
export function toChange(table: string, key: readonly string[], row: ChangeRow): Change {
  return {
    table,
    type: row.operation,
    rowId: inOrder(row.row_id, key),
    before: toJson(row['before']),
    after: toJson(row['after']),
    ...textsOf(row['texts']),
  };
}

const toJson = (text: string | null | undefined) =>
  text === null || text === undefined ? null : new JsonText(text);

/** Returns the member of a change, a conflict or an audit entry that contains what the JSON of its rows omits, if anything. */
export function textsOf(text: string | null | undefined): { readonly texts?: JsonText } {
  return text === null || text === undefined ? {} : { texts: new JsonText(text) };
}
