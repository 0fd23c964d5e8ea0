/** The reason why a table cannot be staged. */
import type { Table } from '../model/table.ts';

/** The templates quote function bodies with this tag; a name that contains it would end the body. */
const bodyQuote = '$body$';

/** Returns the reason, as the end of "which ..."; null if the table can be staged. */
export function obstacleOf(table: Table): string | null {
  // guard: texts that users wrote do not stand in the bodies that are quoted so
  return JSON.stringify({ ...table, triggers: [] }).includes(bodyQuote)
    ? `has ${bodyQuote} in its definition`
    : table.obstacle;
}
