-- Lists the columns of each table that is neither PostgreSQL's nor the service's own.
-- Filled in src/daemon/doctor/examine.ts: `is_internal` is the condition that schema n is the service's own.
SELECT n.nspname AS schema, c.relname AS name, json_agg(a.attname) AS columns
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'pg_catalog' AND NOT {{is_internal}}
GROUP BY 1, 2
