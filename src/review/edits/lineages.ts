/** Staged rows as they are operated on: by table and lineage, all versions of a row together. */
import type { Queryable, Row } from '../../db/database.ts';
import type { Operation } from '../../model/change.ts';
import { operations } from '../../model/change.ts';
import { JsonText } from '../../model/json.ts';

/** A table that a session has staged rows of. */
export interface StagedTable {
  readonly relation: number;
  readonly name: string;
  /** Rows are known by their keys, and can be taken out one by one. */
  readonly hasLineages: boolean;
  /** It has no key. */
  readonly isKeyless: boolean;
  /** Whether its overlay is what the table is. */
  readonly isCurrent: boolean;
  /** Whether its rows are not shown to the caller. */
  readonly hidden: boolean;
  /** Foreign keys lead from a table to another one that both have staged rows: all tables that can be reached so have one number. */
  readonly island: number;
}

/** All versions of one staged row. */
export interface Lineage {
  readonly relation: number;
  /** Number of its first version. */
  readonly root: string;
}

/** A lineage as people know it. */
export interface NamedLineage extends Lineage {
  /** What it comes to; null where nothing is left of it. */
  readonly type: Operation | null;
  readonly rowId: JsonText;
  /** It began as a row of the session's own, and not as one of production. */
  readonly isOwn: boolean;
}

const selectTables = `
WITH RECURSIVE staged AS MATERIALIZED (
  SELECT r.relation FROM stage.staged_relations($1) AS r (relation)
), links AS MATERIALIZED (
  SELECT coalesce(pg_partition_root(k.conrelid), k.conrelid)::oid AS one, coalesce(pg_partition_root(k.confrelid), k.confrelid)::oid AS other
  FROM pg_constraint k WHERE k.contype = 'f'
), reached AS (
  SELECT s.relation, s.relation AS other FROM staged s
  UNION
  SELECT r.relation, CASE WHEN l.one = r.other THEN l.other ELSE l.one END FROM reached r JOIN links l ON r.other IN (l.one, l.other)
  WHERE l.one IN (SELECT s.relation FROM staged s) AND l.other IN (SELECT s.relation FROM staged s)
)
SELECT o.relation, o.shown_name AS name, cardinality(o.key_columns) = 0 AS keyless,
  to_regprocedure(format('stage_data.unstage_%s(uuid, bigint[])', o.relation)) IS NOT NULL AS has_lineages,
  o.signature IS NOT DISTINCT FROM stage.table_signature(o.relation) AND NOT starts_with(o.stamp, 'outdated ') AS current,
  $2::boolean AND NOT stage.is_readable($1, o.relation) AS hidden,
  (SELECT min(r.other) FROM reached r WHERE r.relation = o.relation) AS island
FROM stage.overlay o JOIN staged s ON s.relation = o.relation ORDER BY o.shown_name COLLATE "C", o.relation`;

/**
 * Lists the tables of which a session has staged rows.
 * @param readableOnly whether tables are hidden that a role that staged in the session may not read
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
    hasLineages: row['has_lineages'] === 't',
    isKeyless: row['keyless'] === 't',
    isCurrent: row['current'] === 't',
    hidden: row['hidden'] === 't',
    island: Number(row['island']),
  }));
}

/** A lineage whose key was asked for, with the place of the key among those. */
export interface FoundLineage extends NamedLineage {
  readonly place: number;
}

/** Finds the lineages of a session in a table that have one of the given keys: one, or several where a row took the place of another one. */
export async function findLineages(
  tx: Queryable,
  uuid: string,
  relation: number,
  keys: readonly JsonText[],
): Promise<FoundLineage[]> {
  const rows = await tx.query('SELECT * FROM stage.lineages_of($1, $2, $3)', [
    uuid,
    relation,
    `[${keys.map(({ text }) => text).join(',')}]`,
  ]);
  return rows.map((row) => ({ ...toNamed(relation, row), place: Number(row['place']) - 1 }));
}

/** Lists all lineages of a session in a table. */
export async function listLineages(
  tx: Queryable,
  uuid: string,
  relation: number,
): Promise<NamedLineage[]> {
  const rows = await tx.query('SELECT * FROM stage.lineages_of($1, $2, NULL)', [uuid, relation]);
  return rows.map((row) => toNamed(relation, row));
}

function toNamed(relation: number, row: Row): NamedLineage {
  return {
    relation,
    root: String(row['root']),
    type: operations.find((operation) => operation === row['operation']) ?? null,
    rowId: new JsonText(String(row['row_id'])),
    isOwn: row['is_own'] === 't',
  };
}

/** Lists the lineages that could not be applied without the given ones. */
export async function tiedLineages(
  tx: Queryable,
  uuid: string,
  lineages: readonly Lineage[],
): Promise<Lineage[]> {
  if (lineages.length === 0) return [];
  const rows = await tx.query('SELECT * FROM stage.tied_lineages($1, $2, $3)', [
    uuid,
    ...arraysOf(lineages),
  ]);
  return rows.map((row) => ({ relation: Number(row['relation']), root: String(row['root']) }));
}

/** Lineages as two arrays of PostgreSQL's: their tables, and the numbers of their first versions. */
export function arraysOf(lineages: readonly Lineage[]): [string, string] {
  return [
    `{${lineages.map(({ relation }) => relation).join(',')}}`,
    `{${lineages.map(({ root }) => root).join(',')}}`,
  ];
}
