-- Lists tables that cannot be staged, and why. Needs the schema stage.
-- Filled in src/daemon/doctor/examine.ts: `is_internal` is the condition that schema n is the service's own.
SELECT 'table_not_stageable' AS fault, c.oid::regclass::text || ' ' || stage.table_obstacle(c.oid) AS subject
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND NOT c.relispartition
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT {{is_internal}}
  AND stage.table_obstacle(c.oid) IS NOT NULL
ORDER BY 2
