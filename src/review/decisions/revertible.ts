/** Obstacles to a revert: tables that have changed, and an inverse that would not be exact. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { inOrder } from '../../model/member-order.ts';

const selectTables = `
SELECT t.*, to_jsonb(o.key_columns) AS key FROM (
  SELECT a.relation AS audited, min(a.table_name) AS name, coalesce(stage.relation_of_approval($1, a.relation), 0) AS relation
  FROM stage.audit a WHERE a.session = $1 GROUP BY a.relation
) t LEFT JOIN stage.overlay o ON o.relation = t.relation ORDER BY t.name COLLATE "C", t.audited`;

/**
 * Selects the preconditions of a table's revert, and the first column that exists in the audit's image or in the table, but not in both.
 */
const selectState = `
SELECT cardinality(o.key_columns) AS key,
  stage.is_as_built(o.relation) AS current,
  EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = 'stage_data'::regnamespace AND p.proname = 'undo_' || $2) AS made,
  (SELECT min(coalesce(i.name, c.name)) FROM (
     SELECT jsonb_object_keys(coalesce(e.new_data, e.old_data)) AS name
     FROM (SELECT a.* FROM stage.audit a WHERE a.session = $1 AND a.relation = $3 ORDER BY a.lineage, a."position" LIMIT 1) e) i
   FULL JOIN (SELECT c ->> 'name' AS name FROM jsonb_array_elements(o.columns) c) c ON c.name = i.name
   WHERE i.name IS NULL OR c.name IS NULL) AS other_column
FROM stage.overlay o WHERE o.relation = $2::oid`;

export interface RevertedTable {
  /** The OID under which the audit recorded it. */
  readonly audited: string;
  /** Its OID now; 0 if it is not known. */
  readonly relation: number;
  readonly name: string;
  /** The columns of its key, in order; empty if they are not known. */
  readonly key: readonly string[];
}

/** Lists the tables that an approval changed. */
export async function revertedTables(tx: Queryable, uuid: string): Promise<RevertedTable[]> {
  const rows = await tx.query(selectTables, [uuid]);
  return rows.map((row) => ({
    audited: String(row['audited']),
    relation: Number(row['relation']),
    name: String(row['name']),
    key: JSON.parse(row['key'] ?? '[]') as string[],
  }));
}

/** Checks that an approval's changes of a table can be reverted. @throws StageError `not_revertible` */
export async function demandRevertible(
  tx: Queryable,
  uuid: string,
  { audited, relation, name }: RevertedTable,
): Promise<void> {
  const [state] = await tx.query(selectState, [uuid, relation, audited]);
  if (state === undefined || state['current'] !== 't')
    throw notRevertible(name, null, 'the table is gone, or is one that cannot be staged any more');
  if (state['key'] === '0' || state['made'] !== 't')
    throw notRevertible(
      name,
      null,
      'the table has no key: nobody can tell which of its rows were meant',
    );
  const column = state['other_column'] ?? null;
  if (column !== null)
    throw notRevertible(
      name,
      column,
      `the column ${JSON.stringify(column)} was added or removed since`,
    );
}

/**
 * Checks that exactly the inverse is staged.
 * @param values the approved session, the new one, and the lineages that were left out
 * @param readableOnly whether rows are not named in tables that a role that staged in the approved session may not read
 * @throws StageError `not_revertible`
 */
export async function demandShape(
  tx: Queryable,
  values: readonly (string | number | null)[],
  readableOnly: boolean,
): Promise<void> {
  const rows = await tx.query(
    `SELECT o.shown_name AS name, n.is_missing, n.row_id, to_jsonb(o.key_columns) AS key, $4::boolean AND NOT stage.is_readable($1, n.relation) AS hidden FROM stage.not_inverse($1, $2, $3, 10) n JOIN stage.overlay o ON o.relation = n.relation
     ORDER BY n.is_missing, o.shown_name COLLATE "C" LIMIT 1`,
    [...values, String(readableOnly)],
  );
  const [other] = rows;
  // guard: a revert stages the exact inverse of an approval
  if (other === undefined) return;
  const name = String(other['name']);
  const key = JSON.parse(other['key'] ?? '[]') as string[];
  const row =
    other['hidden'] === 't' ? 'a row' : `row ${inOrder(String(other['row_id']), key).text}`;
  throw notRevertible(
    name,
    null,
    other['is_missing'] === 't'
      ? `${row} would not come back as it was`
      : `${row}, which the approval did not change, would change with it`,
  );
}

/** Returns the error for a stored row image that is no longer valid for the table's types. */
export const unreadable = (table: string, cause: unknown): StageError =>
  notRevertible(
    table,
    null,
    `a value that was kept is none of its type by now: ${(cause as Error).message}`,
  );

function notRevertible(table: string, column: string | null, why: string): StageError {
  return new StageError(
    'not_revertible',
    `what was approved cannot be taken back exactly: ${table}: ${why}`,
    {
      hint: 'Stage by hand what is to be taken back: `stage audit list` shows each row as it was.',
      facts: { table, column },
    },
  );
}
