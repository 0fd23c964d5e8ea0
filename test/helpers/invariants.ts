/** Invariants of staged rows, which hold after every step. They are checked by independent queries. */
import type { TestDatabase } from './database.ts';

interface Shape {
  readonly relation: number;
  readonly name: string;
  readonly key: readonly string[];
  /** The type of a row's image. `columns` are its members. */
  readonly image: string;
  readonly columns: readonly string[];
}

const selectShapes = `
SELECT o.relation::int, o.shown_name AS name, to_jsonb(o.key_columns) AS key, b.atttypid::regtype::text AS image, c.columns
FROM stage.overlay o
JOIN pg_attribute b ON b.attrelid = to_regclass('stage_data.shadow_' || o.relation) AND b.attname = '_stage_base'
JOIN pg_type t ON t.oid = b.atttypid
CROSS JOIN LATERAL (
  SELECT to_jsonb(array_agg(a.attname ORDER BY a.attnum)) AS columns FROM pg_attribute a WHERE a.attrelid = t.typrelid AND NOT a.attisdropped
) c
ORDER BY o.relation`;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns a query for faults of heads: each key of a session has one head, the newest of its versions. */
function headsSql({ relation, name, key }: Shape): string {
  const list = key.map(quoted).join(', ');
  return `
SELECT 'I1 ${name}: heads ' || count(*) FILTER (WHERE _stage_head) || ' of key ' || ROW(${list})::text AS problem
FROM stage_data.shadow_${relation} GROUP BY _stage_session, ${list}
HAVING count(*) FILTER (WHERE _stage_head) <> 1 OR max(_stage_seq) FILTER (WHERE _stage_head) <> max(_stage_seq)`;
}

/**
 * Returns a query for faults of beginnings. A lineage begins with a row of production and its base image, or with an INSERT. All its
 * versions are of one session.
 */
const beginningsSql = ({ relation, name }: Shape) => `
SELECT 'I2 ${name}: version ' || s._stage_seq FROM stage_data.shadow_${relation} s
LEFT JOIN stage_data.shadow_${relation} f ON f._stage_seq = s._stage_root
WHERE CASE WHEN s._stage_root IS NULL
  THEN s._stage_origin = 'overlay' OR s._stage_first <> (s._stage_base IS DISTINCT FROM NULL) OR s._stage_first = (s._stage_op = 'I')
  ELSE f._stage_session IS DISTINCT FROM s._stage_session OR s._stage_seq < s._stage_root OR s._stage_first END`;

/** Returns a query for faults of chains: a change finds the row by the key that the previous version left. */
function chainSql({ relation, name, key }: Shape): string {
  const base = key.map((column) => `(v._stage_base).${quoted(column)}`).join(', ');
  const before = key.map((column) => `lag(v.${quoted(column)}) OVER w`).join(', ');
  const old = key.map((_, index) => `v._stage_old_${index + 1}`).join(', ');
  return `
SELECT 'I2 ${name}: version ' || v.seq || ' finds its row by another key' FROM (
  SELECT v._stage_seq AS seq, v._stage_op AS op, ROW(${old}) AS old,
    CASE WHEN v._stage_first THEN ROW(${base}) ELSE ROW(${before}) END AS before
  FROM stage_data.shadow_${relation} v WHERE v._stage_origin <> 'overlay'
  WINDOW w AS (PARTITION BY v._stage_session, coalesce(v._stage_root, v._stage_seq) ORDER BY v._stage_seq)
) v WHERE v.op <> 'I' AND v.old IS DISTINCT FROM v.before`;
}

/** Returns a query for lineages whose last version equals the row that they began with, or that began and end without a row. */
const emptySql = ({ relation, name, key, image, columns }: Shape) => `
SELECT 'I3 ${name}: nothing is left of row ' || ROW(${key.map((column) => `l.${quoted(column)}`).join(', ')})::text || ', version ' || f._stage_seq AS lineage
FROM (
  SELECT DISTINCT ON (s._stage_session, coalesce(s._stage_root, s._stage_seq)) s.* FROM stage_data.shadow_${relation} s
  WHERE s._stage_origin <> 'overlay' ORDER BY s._stage_session, coalesce(s._stage_root, s._stage_seq), s._stage_seq DESC
) l JOIN stage_data.shadow_${relation} f ON f._stage_session = l._stage_session AND f._stage_seq = coalesce(l._stage_root, l._stage_seq)
WHERE CASE WHEN f._stage_first THEN l._stage_op <> 'D' AND ROW(${columns.map((column) => `l.${quoted(column)}`).join(', ')})::${image} *= f._stage_base
  ELSE l._stage_op = 'D' END`;

/** A query for faults of the plan: approval will apply all staged rows. */
const planSql = `
SELECT 'I4: the plan has ' || p.rows || ' of ' || s.rows || ' rows' FROM (SELECT session, sum(rows) FILTER (WHERE origin::text <> 'trigger') AS rows FROM staged GROUP BY session) s
CROSS JOIN LATERAL (
  SELECT coalesce(sum(r.row_count), 0) AS rows FROM stage.apply_plan(s.session) a, unnest(a.runs) r WHERE r.step <> 'capture'
) p WHERE p.rows <> s.rows`;

/**
 * A query for effects without a cause: that of a foreign key action follows a change of the same mutation by the client or a trigger. That
 * of a trigger comes with a change of the client; a BEFORE trigger writes before its row is staged.
 */
const actionsSql = `
SELECT 'I5: mutation ' || a.mutation || ' has actions without a cause' FROM staged a
WHERE a.origin::text IN ('action', 'trigger') AND NOT EXISTS (SELECT FROM staged c WHERE c.session = a.session AND c.mutation = a.mutation
  AND CASE WHEN a.origin = 'trigger' THEN c.origin = 'client' ELSE c.origin <> 'action' AND c.first < a.first END)`;

/** Builds a query for tables that reviews would not examine: a session's own list lacks them. */
const tablesSql = (relation: number) => `
SELECT 'I6: session ' || s._stage_session || ' does not know that it has staged rows in ' || ${relation} FROM stage_data.shadow_${relation} s
JOIN stage.session k ON k.id = s._stage_session AND k.has_tables
WHERE NOT EXISTS (SELECT FROM stage.staged_table t WHERE t.session = s._stage_session AND t.relation = ${relation})`;

/**
 * Returns the invariants that staged rows violate, over all sessions.
 * @param emptyBefore what emptyLineages returned before staged rows were edited: an edit leaves no further lineages without a net change
 *   (I3). A statement may: `UPDATE t SET a = a` runs triggers in production, too
 */
export async function brokenInvariants(
  database: TestDatabase,
  emptyBefore?: readonly string[],
): Promise<string[]> {
  const shapes = await database.query<Shape>(selectShapes);
  if (shapes.length === 0) return [];
  const staged = shapes.map(
    ({
      relation,
    }) => `SELECT _stage_session AS session, _stage_mutation AS mutation, _stage_origin AS origin, min(_stage_seq) AS first, count(*) AS rows
    FROM stage_data.shadow_${relation} WHERE _stage_origin <> 'overlay' GROUP BY 1, 2, 3`,
  );
  const keyed = shapes.filter(({ key }) => key.length > 0);
  const problems = [
    ...keyed.flatMap((shape) => [headsSql(shape), beginningsSql(shape), chainSql(shape)]),
    planSql,
    actionsSql,
    ...shapes.map(({ relation }) => tablesSql(relation)),
  ];
  const rows = await database.query<{ problem: string }>(
    `WITH staged AS MATERIALIZED (${staged.join(' UNION ALL ')}) ${problems.map((query) => `(${query})`).join(' UNION ALL ')}`,
  );
  const empty = emptyBefore === undefined ? [] : await emptyLineages(database);
  return [
    ...rows.map(({ problem }) => problem),
    ...empty.filter((lineage) => !emptyBefore?.includes(lineage)),
  ];
}

/** Returns the lineages of keyed tables without a net change: approval would only run triggers for them. */
export async function emptyLineages(database: TestDatabase): Promise<string[]> {
  const shapes = await database.query<Shape>(selectShapes);
  const keyed = shapes.filter(({ key }) => key.length > 0);
  if (keyed.length === 0) return [];
  const rows = await database.query<{ lineage: string }>(keyed.map(emptySql).join(' UNION ALL '));
  return rows.map(({ lineage }) => lineage);
}
