-- The net changes that a brief reads, for WITH: of all, or of pages that begin behind the numbers $1, each of $2 changes.
-- Filled in src/review/brief/sample.ts: `page` is a page of the diff behind p.after, of at most $2 changes.
change AS MATERIALIZED (
  SELECT DISTINCT ON (d.number) d.* FROM unnest($1::bigint[]) p (after) CROSS JOIN LATERAL (SELECT x.* FROM {{page}} x) d ORDER BY d.number
)
