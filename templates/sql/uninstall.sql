-- Lists the statements that take the service out of a database, in order. A role that may create schemas can choose a name of that form,
-- but cannot make the service the owner; a superuser's schemas are not the service's if the service is no superuser. Objects are dropped
-- one by one before their schemas: one statement that drops thousands would need a lock for each at once.
-- Filled in src/db/sql-file.ts: `internal_schemas` is the pattern of the names of the service's schemas.
WITH own AS (
  SELECT n.oid, n.nspname
  FROM pg_namespace n JOIN pg_namespace s ON s.nspname = 'stage'
  JOIN pg_roles o ON o.oid = n.nspowner
  WHERE n.nspname ~ '{{internal_schemas}}'
    AND (n.nspowner = s.nspowner OR NOT o.rolsuper AND pg_has_role(o.oid, s.nspowner, 'MEMBER'))
)
SELECT d.statement, d.schema FROM (
  SELECT 1 AS place, format('DROP VIEW IF EXISTS %I.%I CASCADE', n.nspname, c.relname) AS statement, NULL AS schema
  FROM own n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'v'
  UNION ALL
  SELECT 2, format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure), NULL
  FROM own n JOIN pg_proc p ON p.pronamespace = n.oid WHERE n.nspname <> 'stage'
  UNION ALL
  SELECT 3, format('DROP TABLE IF EXISTS %I.%I CASCADE', n.nspname, c.relname), NULL
  FROM own n JOIN pg_class c ON c.relnamespace = n.oid AND (c.relkind = 'p' OR c.relkind = 'r' AND n.nspname <> 'stage')
  UNION ALL
  SELECT 4, format('DROP TYPE IF EXISTS %I.%I CASCADE', n.nspname, c.relname), NULL
  FROM own n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'c' WHERE n.nspname <> 'stage'
  UNION ALL
  SELECT CASE n.nspname WHEN 'stage' THEN 7 WHEN 'stage_data' THEN 6 ELSE 5 END, format('DROP SCHEMA %I CASCADE', n.nspname), n.nspname
  FROM own n
) d ORDER BY d.place, d.statement
