-- Returns whether a function in BEGIN ATOMIC calls functions that find names in the schemas of their callers, by itself or through others.
CREATE OR REPLACE FUNCTION stage.calls_by_path(p_function oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE called (oid) AS (
    SELECT p_function
    UNION SELECT d.refobjid FROM called c JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = c.oid
    WHERE d.refclassid = 'pg_proc'::regclass)
  SELECT EXISTS (
    SELECT FROM called c JOIN pg_proc p ON p.oid = c.oid JOIN pg_language l ON l.oid = p.prolang
    WHERE p.prosqlbody IS NULL AND l.lanname NOT IN ('internal', 'c') AND stage.own_path(p.proconfig) IS NULL)
$$;
