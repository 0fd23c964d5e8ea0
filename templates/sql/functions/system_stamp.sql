-- Returns a stamp of the functions, operators and types that PostgreSQL itself needs. Definitions of tables depend on them, but PostgreSQL
-- does not record it: nobody can drop them. A superuser can alter them.
CREATE OR REPLACE FUNCTION stage.system_stamp() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT concat_ws('.', count(*), sum(hashtextextended(e.version::text, 0))) FROM (
    SELECT p.xmin FROM pg_proc p WHERE p.oid < 12000 AND p.xmin <> '1'
    UNION ALL SELECT o.xmin FROM pg_operator o WHERE o.oid < 12000 AND o.xmin <> '1'
    UNION ALL SELECT t.xmin FROM pg_type t WHERE t.oid < 12000 AND t.xmin <> '1') e (version)
$$;
