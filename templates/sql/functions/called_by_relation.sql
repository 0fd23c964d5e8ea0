-- Returns the functions that reading a relation calls and that may do more than compute: those in the queries of views, in the policies of
-- tables, and in the checks of the domains that these name; for a view, those of everything that it reads. Views of the server and of
-- extensions are left out: calling these functions is their purpose.
CREATE OR REPLACE FUNCTION stage.called_by_relation(p_relation oid) RETURNS SETOF oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH RECURSIVE behind(relation) AS (
    SELECT p_relation
    UNION
    SELECT d.refobjid
    FROM behind b
    CROSS JOIN LATERAL stage.definitions_read(b.relation) o
    JOIN pg_depend d ON d.classid = o.catalog::regclass AND d.objid = o.object AND d.refclassid = 'pg_class'::regclass AND d.refobjid >= 16384
  ), definition AS (
    SELECT o.* FROM behind b CROSS JOIN LATERAL stage.definitions_read(b.relation) o
  ), domains(checked) AS (
    SELECT ARRAY(SELECT k.oid FROM pg_constraint k WHERE k.contypid IN (SELECT stage.types_in(ARRAY(
      SELECT d.refobjid FROM definition o JOIN pg_depend d ON d.classid = o.catalog::regclass AND d.objid = o.object
        AND d.refclassid = 'pg_type'::regclass AND d.refobjid >= 16384))))
  ), called(function) AS (
    SELECT f.function FROM definition o CROSS JOIN LATERAL (
      SELECT r.function FROM stage.referenced_functions(o.catalog, ARRAY[o.object]) r UNION ALL SELECT stage.called_in(o.tree)
    ) f(function)
    UNION SELECT f.function FROM domains s CROSS JOIN LATERAL stage.referenced_functions('pg_constraint', s.checked) f
    UNION SELECT stage.called_in(k.conbin::text) FROM domains s JOIN pg_constraint k ON k.oid = ANY (s.checked)
  )
  SELECT p.oid
  FROM (SELECT c.function FROM called c UNION SELECT a.function FROM called c CROSS JOIN LATERAL stage.called_by_aggregate(c.function) a(function)) f
  JOIN pg_proc p ON p.oid = f.function
  WHERE p.oid >= 16384 OR p.provolatile <> 'i'
$$;
