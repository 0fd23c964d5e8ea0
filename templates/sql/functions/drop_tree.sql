-- Drops the view of a table with those that inherit from it, and what stands on it; whoever needs it makes it anew.
CREATE OR REPLACE FUNCTION stage.drop_tree(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text;
BEGIN
  SELECT format('%I.%I', 'stage_tree_' || t.namespace, t.table_name) INTO v_name FROM stage.tree t WHERE t.relation = p_relation;
  IF NOT FOUND THEN RETURN; END IF;
  EXECUTE format('DROP VIEW IF EXISTS %s CASCADE', v_name);
  FOR v_name IN
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE p.pronamespace = 'stage_data'::regnamespace AND p.proname ~ ('^tree_[a-z_]+_' || p_relation || '(_|$)')
  LOOP
    EXECUTE 'DROP FUNCTION ' || v_name;
  END LOOP;
  DELETE FROM stage.tree t WHERE t.relation = p_relation;
END $$;
REVOKE ALL ON FUNCTION stage.drop_tree(oid) FROM PUBLIC;
