-- Drops the stand-in of a relation, an overlay or a staged view, with its dependents; an object with the name that the next one needs; and
-- the view of each table with children that shows rows of this one. Shadow table and row type stay: they may contain staged rows.
-- p_only_tree: drops only the relation's own view with its children.
CREATE OR REPLACE FUNCTION stage.drop_stand_ins(p_relation oid, p_only_tree boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_functions text := concat(CASE WHEN p_only_tree THEN '^tree_[a-z_]+' END, '_', p_relation, '(_|$)');
  v_shadow regclass := CASE WHEN NOT p_only_tree THEN to_regclass('stage_data.shadow_' || p_relation) END;
  v_load regclass := (SELECT i.inhparent FROM pg_inherits i WHERE i.inhrelid = v_shadow);
  v_sets regclass := pg_partition_root(v_shadow);
  v_drop text;
BEGIN
  IF NOT p_only_tree THEN
    -- partitions are staged by functions of their partitioned table
    PERFORM stage.drop_stand_ins(v.relation) FROM stage.staged_view v WHERE v.target = p_relation;
    PERFORM stage.drop_stand_ins(t.relation, true) FROM stage.tree t WHERE t.relation = p_relation OR p_relation = ANY (t.members);
  END IF;
  IF v_load IS NOT NULL THEN  -- with its views, whatever the relation was called when these were made
    EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', v_load, v_shadow);
    EXECUTE format('DROP TABLE %s CASCADE', v_sets);
  END IF;
  FOR v_drop IN
    WITH own AS MATERIALIZED (  -- once for each schema, not for each function
      SELECT n.oid, n.nspname FROM pg_namespace n WHERE stage.is_internal_schema(n.oid)
    ), named (namespace, name) AS (
      SELECT o.namespace, o.table_name FROM stage.overlay o WHERE o.relation = p_relation
      UNION SELECT v.namespace, v.table_name FROM stage.staged_view v WHERE v.relation = p_relation
      UNION SELECT c.relnamespace, c.relname FROM pg_class c WHERE c.oid = p_relation
    ), view (schema, name) AS (
      SELECT v.schema, v.name FROM named n CROSS JOIN LATERAL (VALUES
        (concat('stage_overlay_', n.namespace), n.name), (concat('stage_upsert_', n.namespace), n.name),
        (concat('stage_load_', n.namespace), n.name), ('stage', concat('conflict_', p_relation)),
        ('stage', concat('changes_', p_relation))) v (schema, name)
      WHERE NOT p_only_tree
      UNION SELECT concat('stage_tree_', t.namespace), t.table_name FROM stage.tree t WHERE t.relation = p_relation
    )
    SELECT d.drop FROM (
      SELECT 1 AS place, format('VIEW IF EXISTS %I.%I CASCADE', v.schema, v.name) AS drop
      FROM view v WHERE stage.is_internal_schema(to_regnamespace(v.schema))
      UNION ALL
      SELECT 2, format('TRIGGER %I ON %s', t.tgname, v_shadow) FROM pg_trigger t WHERE t.tgrelid = v_shadow AND t.tgname ~ '^deferred'
      UNION ALL
      SELECT 3, format('FUNCTION IF EXISTS %s', p.oid::regprocedure) FROM pg_proc p JOIN own n ON n.oid = p.pronamespace
      -- the number first: the expression takes ten times as long, and the service has dozens of functions for each table
      WHERE CASE WHEN strpos(p.proname, p_relation::text) > 0 THEN p.proname ~ v_functions END AND n.nspname !~ '^stage_function_'
        -- running transactions go on calling the function that returns the stamp: it is replaced, and goes with the table
        AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = p_relation AND p.proname = 'stamp_' || c.oid AND n.nspname = 'stage_overlay_' || c.relnamespace)
      UNION ALL
      SELECT 4, format('INDEX %s', i.indexrelid::regclass) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = v_shadow AND c.relname ~ '^(unique|reference|exclusion|lineage|ancestor|lookup)_'
      UNION ALL
      SELECT 5, format('TABLE stage.%I', c.relname) FROM pg_class c
      WHERE c.relnamespace = 'stage'::regnamespace AND c.relkind = 'r' AND c.relname ~ concat('^gate_', p_relation, '_') AND NOT p_only_tree
      UNION ALL
      SELECT 6, format('TYPE IF EXISTS stage_data.staged_view_row_%s', p_relation) WHERE NOT p_only_tree
    ) d ORDER BY d.place
  LOOP
    EXECUTE 'DROP ' || v_drop;
  END LOOP;
  DELETE FROM stage.tree t WHERE t.relation = p_relation;
  DELETE FROM stage.staged_view v WHERE v.relation = p_relation AND NOT p_only_tree;
  -- a table that was a partition for a while, and has its former definition again, must not count as current
  UPDATE stage.overlay o SET signature = 'dropped', stamp = '', writable = false WHERE o.relation = p_relation AND NOT p_only_tree;
END $$;
REVOKE ALL ON FUNCTION stage.drop_stand_ins(oid, boolean) FROM PUBLIC;
