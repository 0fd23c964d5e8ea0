-- Returns how many inserted rows have the values of another inserted one in all columns of the JSON array $3.
-- Filled in src/review/brief/sample.ts: `changes` is changes.sql, filled.
WITH {{changes}}
SELECT coalesce(sum(g.rows), 0) AS rows FROM (
  SELECT count(*) AS rows FROM change c
  CROSS JOIN LATERAL (SELECT jsonb_agg(c.after -> k.name ORDER BY k.place) AS image FROM jsonb_array_elements_text($3::jsonb) WITH ORDINALITY k (name, place)) i
  WHERE c.operation = 'INSERT' GROUP BY i.image HAVING count(*) > 1
) g
