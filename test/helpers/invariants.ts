/** What holds of staged rows after every step, whatever made it: by queries of its own. */
import type { TestDatabase } from './database.ts';

interface Shape {
  readonly relation: number;
  readonly name: string;
  readonly key: readonly string[];
}

const selectShapes = `
SELECT relation::int, shown_name AS name, to_jsonb(key_columns) AS key FROM stage.overlay ORDER BY relation`;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Each key of a session has one head, the newest of its versions. */
function headsSql({ relation, name, key }: Shape): string {
  const list = key.map(quoted).join(', ');
  return `
SELECT 'I1 ${name}: heads ' || count(*) FILTER (WHERE _stage_head) || ' of key ' || ROW(${list})::text AS problem
FROM stage_data.shadow_${relation} GROUP BY _stage_session, ${list}
HAVING count(*) FILTER (WHERE _stage_head) <> 1 OR max(_stage_seq) FILTER (WHERE _stage_head) <> max(_stage_seq)`;
}

/** A lineage begins with a row of production and what that was, or with an INSERT; all its versions are of one session. */
const beginningsSql = ({ relation, name }: Shape) => `
SELECT 'I2 ${name}: version ' || s._stage_seq FROM stage_data.shadow_${relation} s
LEFT JOIN stage_data.shadow_${relation} f ON f._stage_seq = s._stage_root
WHERE CASE WHEN s._stage_root IS NULL
  THEN s._stage_origin = 'k' OR s._stage_first <> (s._stage_base IS DISTINCT FROM NULL) OR s._stage_first = (s._stage_op = 'I')
  ELSE f._stage_session IS DISTINCT FROM s._stage_session OR s._stage_seq < s._stage_root OR s._stage_first END`;

/** The chain of a row's versions: a change finds the row by the key that the version before it left. */
function chainSql({ relation, name, key }: Shape): string {
  const base = key.map((column) => `(v._stage_base).${quoted(column)}`).join(', ');
  const before = key.map((column) => `lag(v.${quoted(column)}) OVER w`).join(', ');
  const old = key.map((_, index) => `v._stage_old_${index + 1}`).join(', ');
  return `
SELECT 'I2 ${name}: version ' || v.seq || ' finds its row by another key' FROM (
  SELECT v._stage_seq AS seq, v._stage_op AS op, ROW(${old}) AS old,
    CASE WHEN v._stage_first THEN ROW(${base}) ELSE ROW(${before}) END AS before
  FROM stage_data.shadow_${relation} v WHERE v._stage_origin <> 'k'
  WINDOW w AS (PARTITION BY v._stage_session, coalesce(v._stage_root, v._stage_seq) ORDER BY v._stage_seq)
) v WHERE v.op <> 'I' AND v.old IS DISTINCT FROM v.before`;
}

/** What approval is going to apply are all staged rows. */
const planSql = `
SELECT 'I4: the plan has ' || p.rows || ' of ' || s.rows || ' rows' FROM (
  SELECT e.id, (SELECT coalesce(sum(r.row_count), 0) FROM stage.apply_plan(e.id) a, unnest(a.runs) r WHERE r.step <> 'capture') AS rows FROM stage.session e
) p JOIN (SELECT session, sum(rows) AS rows FROM staged GROUP BY session) s ON s.session = p.id WHERE p.rows <> s.rows`;

/** What a foreign key's action did stands behind a change of the same mutation that caused it. */
const actionsSql = `
SELECT 'I5: mutation ' || a.mutation || ' has actions without a cause' FROM staged a
WHERE a.origin = 'f' AND NOT EXISTS (SELECT FROM staged c WHERE c.session = a.session AND c.mutation = a.mutation AND c.origin = 'c' AND c.first < a.first)`;

/** Lists what does not hold of the staged rows of all sessions. */
export async function brokenInvariants(database: TestDatabase): Promise<string[]> {
  const shapes = await database.query<Shape>(selectShapes);
  const staged = shapes.map(
    ({
      relation,
    }) => `SELECT _stage_session AS session, _stage_mutation AS mutation, _stage_origin AS origin, min(_stage_seq) AS first, count(*) AS rows
    FROM stage_data.shadow_${relation} WHERE _stage_origin <> 'k' GROUP BY 1, 2, 3`,
  );
  const keyed = shapes.filter(({ key }) => key.length > 0);
  const problems = [
    ...keyed.flatMap((shape) => [headsSql(shape), beginningsSql(shape), chainSql(shape)]),
    planSql,
    actionsSql,
  ];
  const rows = await database.query<{ problem: string }>(
    `WITH staged AS MATERIALIZED (${staged.join(' UNION ALL ')}) ${problems.map((query) => `(${query})`).join(' UNION ALL ')}`,
  );
  return rows.map(({ problem }) => problem);
}
