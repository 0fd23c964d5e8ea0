-- Drops up to p_limit objects that stand for relations and functions, and returns how many it dropped; 0 when none is left. Shadow tables
-- and their row types stay. The number is limited because every object that is dropped takes a lock, and a server has room for a limited
-- number of locks.
CREATE OR REPLACE FUNCTION stage.clear_stand_ins(p_limit int) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_drop text;
  v_count int := 0;
BEGIN
  FOR v_drop IN
    WITH own AS (
      SELECT n.oid, n.nspname FROM pg_namespace n JOIN pg_namespace s ON s.nspname = 'stage' AND s.nspowner = n.nspowner
      WHERE stage.is_internal_schema(n.oid) AND n.oid <> s.oid)
    SELECT d.drop FROM (
      SELECT 1 AS place, format('VIEW IF EXISTS %I.%I CASCADE', n.nspname, c.relname) AS drop
      FROM own n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'v'
      UNION ALL
      SELECT 2, format('ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure) FROM own n JOIN pg_proc p ON p.pronamespace = n.oid
      UNION ALL
      SELECT 3, format('TYPE IF EXISTS %I.%I CASCADE', n.nspname, c.relname)
      FROM own n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'c' AND c.relname ~ '^staged_view_row_'
      UNION ALL
      SELECT 4, format('SCHEMA %I CASCADE', n.nspname) FROM own n WHERE n.nspname <> 'stage_data'
    ) d ORDER BY d.place LIMIT p_limit
  LOOP
    EXECUTE 'DROP ' || v_drop;
    v_count := v_count + 1;
  END LOOP;
  DELETE FROM stage.staged_view;
  DELETE FROM stage.tree;
  DELETE FROM stage.staged_function;
  RETURN v_count;
END $$;
REVOKE ALL ON FUNCTION stage.clear_stand_ins(int) FROM PUBLIC;
