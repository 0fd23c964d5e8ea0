-- Returns the values that a session sets in a column of few values, and that no row of production has, at most 12 of them.
-- $3 is the column's name. Filled in src/review/brief/sample.ts: `changes` is changes.sql, filled; `production` is the table.
WITH {{changes}}, had AS MATERIALIZED (
  SELECT DISTINCT to_jsonb(t.{{column}}) AS value FROM {{production}} t WHERE t.{{column}} IS NOT NULL LIMIT 51
), given AS (
  SELECT c.after -> $3::text AS value, count(*) AS rows FROM change c
  WHERE c.operation <> 'DELETE' AND jsonb_typeof(c.after -> $3::text) <> 'null' AND length((c.after -> $3::text)::text) <= 200 GROUP BY 1
)
SELECT count(*) AS count, sum(g.rows) AS rows, (jsonb_agg(g.value ORDER BY g.rows DESC, g.value::text COLLATE "C")) AS "values"
FROM given g WHERE NOT EXISTS (SELECT FROM had h WHERE h.value = g.value)
  AND (SELECT count(*) BETWEEN 1 AND 50 FROM had)
HAVING count(*) BETWEEN 1 AND 12
