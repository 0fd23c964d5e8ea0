/** Effects of a change of a table's columns on rows that were staged before: columns that can be carried over, and sessions that cannot. */

import type { Queryable, Row } from '../../db/database.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Column, Table } from '../../model/table.ts';
import { isKeyless, shadowName } from '../object-names.ts';
import { present, same } from '../row-identity.ts';

/** A column as the registry recorded it when the shadow table was made. */
export interface ShadowColumn {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly generated: boolean;
}

export interface ColumnChange {
  readonly before: ShadowColumn;
  /** The column that has its values now; null when no one can determine what they mean now. */
  readonly after: Column | null;
}

/** Returns what the registry stores of a table's columns. */
export const shadowColumns = (table: Table): ShadowColumn[] =>
  table.columns.map(({ number, name, type, generated }) => ({
    number,
    name,
    type,
    generated: generated !== null,
  }));

/**
 * Compares the shadow's columns with the table's. Columns are identified by number, so a new name does not matter. When the type has
 * changed, values are the same only if the table was not rewritten: a rewrite may compute them from anything.
 */
export function compareColumns(
  table: Table,
  before: readonly ShadowColumn[],
  isRewritten: boolean,
): ColumnChange[] {
  return before.map((column) => {
    const after = table.columns.find(({ number }) => number === column.number) ?? null;
    const isSame = after !== null && (after.type === column.type || !isRewritten);
    return { before: column, after: isSame ? after : null };
  });
}

/**
 * Orphans the staged rows of every session for which the change is ambiguous: the session gave a value to a column that was dropped or
 * rewritten, or rows are identified in another way now.
 * @param key names of the key's columns before the change
 */
export async function parkUnclear(
  tx: Queryable,
  table: Table,
  changes: readonly ColumnChange[],
  key: readonly string[],
): Promise<void> {
  const lost = changes.filter(({ before, after }) => after === null && !before.generated);
  const names = lost.map(({ before }) => before.name);
  const isWhole = await hasColumns(tx, table, changes);
  const sessions =
    isWhole && isSameKey(table, changes, key)
      ? await sessionsThatSet(tx, table, names)
      : await allSessions(tx, table, names);
  const now = table.key.map(({ name }) => name);
  const reasons = {
    '': `its rows are identified by ${keyInWords(now)}, no longer by ${keyInWords(key)}`,
    ...Object.fromEntries(lost.map(({ before }) => [before.name, lossInWords(table, before)])),
  };
  for (const { session, columns } of sessions) {
    await tx.query('SELECT stage.park($1, $2, $3, $4)', [
      session ?? null,
      table.oid,
      columns ?? '{}',
      JSON.stringify(reasons),
    ]);
  }
}

const keyInWords = (key: readonly string[]) =>
  key.length === 0 ? 'all their values' : `(${key.join(', ')})`;

/** Describes what happened to a column whose values are no longer valid. */
function lossInWords(table: Table, before: ShadowColumn): string {
  const after = table.columns.find(({ number }) => number === before.number);
  if (after === undefined) return 'the column was dropped';
  const renamed = after.name === before.name ? '' : `, and is called ${after.name} now`;
  return `the column's type was ${before.type} and is ${after.type} now${renamed}`;
}

/** Checks that the shadow table still has its columns: DROP TYPE ... CASCADE drops columns of it, too. */
async function hasColumns(
  tx: Queryable,
  table: Table,
  changes: readonly ColumnChange[],
): Promise<boolean> {
  const rows = await tx.query(
    'SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND NOT attisdropped',
    [shadowName(table)],
  );
  const found = new Set(rows.map(({ name }) => name));
  return changes.length > 0 && changes.every(({ before }) => found.has(before.name));
}

function isSameKey(
  table: Table,
  changes: readonly ColumnChange[],
  key: readonly string[],
): boolean {
  const now = key.map((name) => changes.find(({ before }) => before.name === name)?.after?.name);
  return !isKeyless(table) && now.join('\0') === table.key.map(({ name }) => name).join('\0');
}

function allSessions(tx: Queryable, table: Table, names: readonly string[]): Promise<Row[]> {
  return tx.query(
    `SELECT DISTINCT _stage_session AS session, ARRAY[${names.map(quoteLiteral).join(', ')}]::text[] AS columns FROM ${shadowName(table)}`,
  );
}

/** Finds the sessions that inserted a value into one of the columns, or updated one. Returns them with the columns' names. */
async function sessionsThatSet(
  tx: Queryable,
  table: Table,
  names: readonly string[],
): Promise<Row[]> {
  if (names.length === 0) return [];
  const sets = names.map((name, index) => {
    const column = quoteIdentifier(name);
    const previous = `CASE WHEN s._stage_first THEN b.${column} ELSE lag(s.${column}) OVER w END`;
    return `s._stage_op = 'I' AND ${present(`s.${column}`)} OR s._stage_op = 'U' AND NOT ${same(`s.${column}`, previous)} AS set_${index}`;
  });
  const columns = names.map(
    (name, index) => `CASE WHEN bool_or(x.set_${index}) THEN ${quoteLiteral(name)} END`,
  );
  return tx.query(
    `SELECT x.session, array_remove(ARRAY[${columns.join(', ')}]::text[], NULL) AS columns
     FROM (SELECT s._stage_session AS session, ${sets.join(', ')} FROM ${shadowName(table)} s
       CROSS JOIN LATERAL (SELECT (s._stage_base).*) b WHERE s._stage_origin <> 'overlay'
       WINDOW w AS (PARTITION BY s._stage_session, coalesce(s._stage_root, s._stage_seq) ORDER BY s._stage_seq)) x
     GROUP BY x.session HAVING bool_or(${names.map((_, index) => `x.set_${index}`).join(' OR ')})`,
  );
}

/** Orphans the rows of sessions that violate a new unique constraint among themselves. */
export async function parkDuplicates(tx: Queryable, table: Table): Promise<void> {
  for (const unique of table.uniques) {
    if (unique.kind !== 'unique' || unique.timing !== 'immediate') continue;
    if (unique.name === table.keyIndex) continue;
    const elements = unique.elements.map(({ definition }) => definition);
    const conditions = unique.nullsNotDistinct ? [] : elements.map(present);
    if (unique.predicate !== null) conditions.push(`(${unique.predicate})`);
    const sessions = await tx.query(
      `SELECT DISTINCT _stage_session AS session FROM ${shadowName(table)}
       WHERE ${['_stage_head', `_stage_op <> 'D'`, ...conditions].join(' AND ')}
       GROUP BY _stage_session, ${elements.join(', ')} HAVING count(*) > 1`,
    );
    const reason = `staged rows would violate the new unique constraint ${unique.name}`;
    const reasons = Object.fromEntries(['', ...unique.columns].map((name) => [name, reason]));
    for (const { session } of sessions) {
      await tx.query(
        'SELECT stage.park($1, $2, ARRAY(SELECT jsonb_array_elements_text($3::jsonb)), $4)',
        [session ?? null, table.oid, JSON.stringify(unique.columns), JSON.stringify(reasons)],
      );
    }
  }
}
