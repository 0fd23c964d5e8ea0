-- Drops what an overlay consists of, but for the shadow table and its row type, which may hold staged rows.
CREATE OR REPLACE FUNCTION stage.drop_overlay(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text;
BEGIN
  PERFORM stage.drop_tree(t.relation) FROM stage.tree t WHERE t.relation = p_relation OR p_relation = ANY (t.members);
  FOR v_name IN
    SELECT format('%I.%I', 'stage_overlay_' || o.namespace, o.table_name) FROM stage.overlay o WHERE o.relation = p_relation
  LOOP
    EXECUTE 'DROP VIEW IF EXISTS ' || v_name || ' CASCADE';  -- the view for ON CONFLICT stands on it
  END LOOP;
  FOR v_name IN
    SELECT t.tgname FROM pg_trigger t
    WHERE t.tgrelid = to_regclass('stage_data.shadow_' || p_relation) AND t.tgname ~ '^deferred'
  LOOP
    EXECUTE format('DROP TRIGGER %I ON stage_data.%I', v_name, 'shadow_' || p_relation);
  END LOOP;
  FOR v_name IN
    SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE stage.is_own_schema(n.oid) AND n.nspname !~ '^stage_function_' AND p.proname ~ ('_' || p_relation || '(_|$)')
  LOOP
    EXECUTE 'DROP FUNCTION ' || v_name;
  END LOOP;
  FOR v_name IN
    SELECT i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = to_regclass('stage_data.shadow_' || p_relation) AND c.relname ~ '^(unique|reference|exclusion|lineage|ancestor|lookup)_'
  LOOP
    EXECUTE 'DROP INDEX ' || v_name;
  END LOOP;
END $$;
