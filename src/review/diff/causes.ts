/** Causes of a change: the statements that made it, and the foreign keys or the trigger that passed them on to it. */
import type { Queryable, Row } from '../../db/database.ts';
import type { Cause } from '../../model/change.ts';
import type { DiffTable } from './diff-tables.ts';

/** The maximum number of causes of a row: the last statements that changed it. */
const mostCauses = 100;

/** Selects the causes of staged changes. Each version of a row is looked up by the indexes on numbers and lineages. */
const stagedCauses = (relation: number) => `
SELECT n.number, v.mutation, v.carried, v.last, v.trigger FROM unnest($2::bigint[]) AS n (number)
CROSS JOIN LATERAL (
  SELECT r.mutation, bool_and(r.origin = 'action') AS carried, max(r.seq) AS last, e.trigger FROM (
    SELECT s._stage_mutation AS mutation, s._stage_origin AS origin, s._stage_seq AS seq FROM stage_data.shadow_${relation} s
    WHERE s._stage_session = $1 AND s._stage_seq = n.number
    UNION ALL
    SELECT s._stage_mutation, s._stage_origin, s._stage_seq FROM stage_data.shadow_${relation} s
    WHERE s._stage_root = n.number AND s._stage_session = $1 AND s._stage_origin <> 'overlay'
  ) r LEFT JOIN stage.effect e ON e.session = $1 AND e.seq = r.seq AND r.origin::text = 'trigger'
  GROUP BY r.mutation, e.trigger ORDER BY last DESC LIMIT ${mostCauses}
) v ORDER BY n.number, v.last`;

const appliedCauses = (relation: number) => `
SELECT n.number, v.mutation, NULL::boolean AS carried, v.last, NULL AS trigger FROM unnest($2::bigint[]) AS n (number)
CROSS JOIN LATERAL (
  SELECT a.mutation, max(a.position) AS last FROM stage.audit a
  WHERE a.session = $1 AND a.relation = ${relation} AND a.lineage = n.number
  GROUP BY a.mutation ORDER BY last DESC LIMIT ${mostCauses}
) v ORDER BY n.number, v.last`;

/**
 * Selects foreign keys of a table that have actions, with the staged tables that they refer to. Tables that are hidden from the caller are
 * left out.
 */
export const selectForeignKeys = `
SELECT DISTINCT c.conname AS name, p.target FROM pg_constraint c
CROSS JOIN LATERAL (SELECT coalesce(pg_partition_root(c.confrelid), c.confrelid)::oid AS target) p
WHERE c.contype = 'f' AND c.conparentid = 0 AND $1::oid IN (c.conrelid, pg_partition_root(c.conrelid))
  AND (c.confdeltype IN ('c', 'n', 'd') OR c.confupdtype IN ('c', 'n', 'd'))
  -- guard: foreign keys that lead to hidden tables are not named
  AND p.target IN (SELECT stage.staged_relations($2)) AND NOT ($3::boolean AND NOT stage.is_readable($2, p.target))
ORDER BY c.conname`;

/**
 * Selects the statements that changed rows of the target before their actions changed the row. A statement's rows have higher numbers than
 * the statement, and rows that an action starts from have lower numbers than those that it changes.
 */
const startedFrom = (target: number) => `
SELECT u.mutation FROM unnest($2::bigint[], $3::bigint[]) AS u (mutation, last)
WHERE EXISTS (
  SELECT FROM stage_data.shadow_${target} s
  WHERE s._stage_session = $1 AND s._stage_seq > u.mutation AND s._stage_seq < u.last AND s._stage_mutation = u.mutation
)`;

/**
 * Returns the causes of changes by their numbers, oldest first. Changes of orphaned rows have no known causes.
 * @param readableOnly whether foreign keys that lead to a hidden table are left out
 */
export async function causesOf(
  tx: Queryable,
  uuid: string,
  table: DiffTable,
  numbers: readonly string[],
  readableOnly = false,
): Promise<ReadonlyMap<string, readonly Cause[]>> {
  const causes = new Map<string, Cause[]>();
  if (table.kind === 'parked' || numbers.length === 0) return causes;
  const isStaged = table.kind === 'staged';
  const select = isStaged ? stagedCauses(table.relation) : appliedCauses(table.relation);
  const rows = await tx.query(select, [uuid, `{${numbers.join(',')}}`]);
  const carried = rows.filter((row) => row['carried'] === 't') as CauseRow[];
  const carriers = await carriersOf(tx, uuid, table, carried, readableOnly);
  for (const row of rows as CauseRow[]) {
    const known = causes.get(row.number) ?? [];
    causes.set(row.number, [...known, toCause(row, carriers)]);
  }
  return causes;
}

type CauseRow = Row & {
  readonly number: string;
  readonly mutation: string;
  /** Null if it is no longer recorded. */
  readonly carried: string | null;
  readonly last: string;
  /** Null unless a trigger wrote the row. */
  readonly trigger: string | null;
};

type Carriers = ReadonlyMap<string, readonly string[]>;

function toCause({ mutation, carried, trigger }: CauseRow, carriers: Carriers): Cause {
  const mutationId = `mut_${mutation}`;
  if (trigger !== null) return { mutationId, origin: 'trigger', foreignKeys: [], trigger };
  if (carried === null) return { mutationId, origin: null, foreignKeys: [] };
  const isCarried = carried === 't';
  const foreignKeys = isCarried ? (carriers.get(mutation) ?? []) : [];
  return { mutationId, origin: isCarried ? 'foreign_key' : 'client', foreignKeys };
}

/** Returns the foreign keys by which each of the statements reached a table. */
async function carriersOf(
  tx: Queryable,
  uuid: string,
  { relation }: DiffTable,
  carried: readonly CauseRow[],
  readableOnly: boolean,
): Promise<Carriers> {
  const carriers = new Map<string, string[]>();
  if (carried.length === 0) return carriers;
  const last = new Map(carried.map((row) => [row.mutation, row.last]));
  const values = [uuid, `{${[...last.keys()].join(',')}}`, `{${[...last.values()].join(',')}}`];
  for (const key of await tx.query(selectForeignKeys, [relation, uuid, String(readableOnly)])) {
    for (const { mutation } of await tx.query(startedFrom(Number(key['target'])), values)) {
      const names = carriers.get(String(mutation)) ?? [];
      carriers.set(String(mutation), [...names, String(key['name'])]);
    }
  }
  return carriers;
}
