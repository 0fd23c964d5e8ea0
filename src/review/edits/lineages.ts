/** Staged rows as units of edits: by table and lineage, all versions of a row together. */
import type { Queryable, Row } from '../../db/database.ts';
import type { Operation } from '../../model/change.ts';
import { operations } from '../../model/change.ts';
import type { JsonText } from '../../model/json.ts';
import { inOrder } from '../../model/member-order.ts';

/** A table in which a session has staged rows. */
export interface StagedTable {
  readonly relation: number;
  readonly name: string;
  /** The columns of its key, in order; empty if it has none. */
  readonly key: readonly string[];
  /** Whether rows are identified by their keys, and can be unstaged one by one. */
  readonly hasLineages: boolean;
  /** Whether its overlay is current. */
  readonly isCurrent: boolean;
  /** Whether its rows are hidden from the caller. */
  readonly hidden: boolean;
  /** Number of the group of staged tables that it belongs to. Foreign keys, and rows that triggers wrote, connect the tables of a group. */
  readonly island: number;
}

/** All versions of one staged row. */
export interface Lineage {
  readonly relation: number;
  /** Number of its first version. */
  readonly root: string;
}

/** A lineage with the properties that users see. */
export interface NamedLineage extends Lineage {
  /** Its net change; null if nothing is left of it. */
  readonly type: Operation | null;
  readonly rowId: JsonText;
  /** Whether it began as a row of the session, not as one of production. */
  readonly isOwn: boolean;
}

const selectTables = `
WITH RECURSIVE staged AS MATERIALIZED (
  SELECT r.relation FROM stage.staged_relations($1) AS r (relation)
), links AS MATERIALIZED (
  SELECT coalesce(pg_partition_root(k.conrelid), k.conrelid)::oid AS one, coalesce(pg_partition_root(k.confrelid), k.confrelid)::oid AS other
  FROM pg_constraint k WHERE k.contype = 'f'
  UNION
  -- guard: tables are connected by the rows that triggers wrote, too
  SELECT e.cause_relation, e.relation FROM stage.effect e WHERE e.session = $1
), reached AS (
  SELECT s.relation, s.relation AS other FROM staged s
  UNION
  SELECT r.relation, CASE WHEN l.one = r.other THEN l.other ELSE l.one END FROM reached r JOIN links l ON r.other IN (l.one, l.other)
  WHERE l.one IN (SELECT s.relation FROM staged s) AND l.other IN (SELECT s.relation FROM staged s)
)
SELECT o.relation, o.shown_name AS name, to_jsonb(o.key_columns) AS key,
  to_regprocedure(format('stage_data.unstage_%s(uuid, bigint[])', o.relation)) IS NOT NULL AS has_lineages,
  stage.is_as_built(o.relation) AS current,
  $2::boolean AND NOT stage.is_readable($1, o.relation) AS hidden,
  (SELECT min(r.other) FROM reached r WHERE r.relation = o.relation) AS island
FROM stage.overlay o JOIN staged s ON s.relation = o.relation ORDER BY o.shown_name COLLATE "C", o.relation`;

/**
 * Lists the tables in which a session has staged rows.
 * @param readableOnly whether tables that a role that staged in the session may not read are hidden
 */
export async function stagedTables(
  tx: Queryable,
  uuid: string,
  readableOnly: boolean,
): Promise<StagedTable[]> {
  const rows = await tx.query(selectTables, [uuid, String(readableOnly)]);
  return rows.map((row) => ({
    relation: Number(row['relation']),
    name: String(row['name']),
    key: JSON.parse(row['key'] ?? '[]') as string[],
    hasLineages: row['has_lineages'] === 't',
    isCurrent: row['current'] === 't',
    hidden: row['hidden'] === 't',
    island: Number(row['island']),
  }));
}

/** A lineage that has a requested key, with the position of that key in the request. */
export interface FoundLineage extends NamedLineage {
  readonly place: number;
}

/**
 * Finds the lineages of a session in a table that have one of the given keys. There are several for a key where a row took the place of
 * another one.
 */
export async function findLineages(
  tx: Queryable,
  uuid: string,
  table: StagedTable,
  keys: readonly JsonText[],
): Promise<FoundLineage[]> {
  const rows = await tx.query('SELECT * FROM stage.lineages_of($1, $2, $3)', [
    uuid,
    table.relation,
    `[${keys.map(({ text }) => text).join(',')}]`,
  ]);
  return rows.map((row) => ({ ...toNamed(table, row), place: Number(row['place']) - 1 }));
}

/** Lists all lineages of a session in a table. */
export async function listLineages(
  tx: Queryable,
  uuid: string,
  table: StagedTable,
): Promise<NamedLineage[]> {
  const rows = await tx.query('SELECT * FROM stage.lineages_of($1, $2, NULL)', [
    uuid,
    table.relation,
  ]);
  return rows.map((row) => toNamed(table, row));
}

function toNamed({ relation, key }: StagedTable, row: Row): NamedLineage {
  return {
    relation,
    root: String(row['root']),
    type: operations.find((operation) => operation === row['operation']) ?? null,
    rowId: inOrder(String(row['row_id']), key),
    isOwn: row['is_own'] === 't',
  };
}

/** Lists the lineages that could not be applied without the given ones. */
export const dependentLineages = (tx: Queryable, uuid: string, lineages: readonly Lineage[]) =>
  reached(tx, 'dependent_lineages', uuid, lineages);

/** Lists the lineages that could not be applied without the given ones, and those without which these could not. */
export const tiedLineages = (tx: Queryable, uuid: string, lineages: readonly Lineage[]) =>
  reached(tx, 'tied_lineages', uuid, lineages);

async function reached(
  tx: Queryable,
  by: 'dependent_lineages' | 'tied_lineages',
  uuid: string,
  lineages: readonly Lineage[],
): Promise<Lineage[]> {
  if (lineages.length === 0) return [];
  const values = [uuid, ...arraysOf(lineages)];
  const rows = await tx.query(`SELECT * FROM stage.${by}($1, $2, $3)`, values);
  return rows.map((row) => ({ relation: Number(row['relation']), root: String(row['root']) }));
}

/** Converts lineages to two PostgreSQL arrays: their tables, and the numbers of their first versions. */
export function arraysOf(lineages: readonly Lineage[]): [string, string] {
  return [
    `{${lineages.map(({ relation }) => relation).join(',')}}`,
    `{${lineages.map(({ root }) => root).join(',')}}`,
  ];
}
