-- Returns how many values that a session sets in a column are greater or less than those of every row of production, and the outermost
-- ones. $3 is the column's name. Filled in src/review/brief/sample.ts: `changes` is changes.sql, filled; `production` is the table, `most`
-- and `least` are the ends of its values; `has_greater` and `has_less` are conditions that end the comparison early: true if a row has a
-- value as great, or as small.
WITH {{changes}}, given AS MATERIALIZED (
  SELECT v.value FROM change c
  CROSS JOIN LATERAL (SELECT coalesce(c.texts -> 'after' ->> $3::text, c.after ->> $3::text)::pg_catalog.{{type}} AS value) v
  WHERE c.operation = 'INSERT' OR c.operation = 'UPDATE' AND (c.before -> $3::text)::text IS DISTINCT FROM (c.after -> $3::text)::text
), outermost AS MATERIALIZED (
  SELECT max(g.value) AS high, min(g.value) AS low FROM given g
)
SELECT a.rows AS above, a.value AS highest, b.rows AS below, b.value AS lowest
FROM (
  SELECT count(*) AS rows, to_jsonb(max(g.value)) AS value FROM given g
  WHERE NOT {{has_greater}} AND g.value > (SELECT {{most}} FROM {{production}} t)
) a CROSS JOIN (
  SELECT count(*) AS rows, to_jsonb(min(g.value)) AS value FROM given g
  WHERE NOT {{has_less}} AND g.value < (SELECT {{least}} FROM {{production}} t)
) b WHERE a.rows + b.rows > 0
