/** The reason why writes to a table cannot be staged, and the overlay that tables linked with it need of it nevertheless. */
import { quoteLiteral } from '../identifier.ts';
import type { Table } from '../model/table.ts';
import { raise } from './raise.ts';

/** The templates quote function bodies with this tag; a name that contains it would end the body. */
const bodyQuote = '$body$';

/** Returns the reason, as the end of "which ..."; null if the table can be staged. */
export function obstacleOf(table: Table): string | null {
  // guard: texts that users wrote do not stand in the bodies that are quoted so
  return JSON.stringify({ ...table, triggers: [] }).includes(bodyQuote)
    ? `has ${bodyQuote} in its definition`
    : table.obstacle;
}

/** The obstacles that concern writes only: reads, and lookups by foreign keys, still find all rows. */
const ofWrites: ReadonlySet<string | null> = new Set([
  'has rules',
  'has a check over a system column',
  'has a generated column over a system column',
  'has a check over the row as a whole',
  'has a unique index or an exclusion constraint over the row as a whole',
]);

/**
 * Returns a table as the overlay for tables that foreign keys or inheritance link with it. If writes to it cannot be staged, this overlay
 * has no rows of its own: it lacks the parts that only a write needs, and refuses each row. Null if it cannot be read, either.
 */
export function linkedTable(table: Table): Table | null {
  const obstacle = obstacleOf(table);
  if (obstacle === null) return table;
  const readOnly: Table = {
    ...table,
    ...{ checks: [], uniques: [], triggers: [] },
    columns: table.columns.map((column) => ({ ...column, generated: null, default: null })),
    obstacle: null,
  };
  const isReadable = table.obstacle === null || ofWrites.has(table.obstacle);
  return isReadable && obstacleOf(readOnly) === null ? { ...readOnly, obstacle } : null;
}

/** Builds the statement that refuses a row of a table whose overlay is read only; empty for others. */
export function refusalOfRow({ obstacle, name }: Pick<Table, 'obstacle' | 'name'>): string {
  if (obstacle === null) return '';
  const message = quoteLiteral(`cannot stage writes to "${name}": it ${obstacle}`);
  return raise({
    message: { sql: message.replaceAll(bodyQuote, "$bo' || 'dy$") },
    sqlstate: '0A000',
    hint: 'Leave out the rows that lead to this one.',
  });
}
