-- Drops the views that stand for relations which have another name by now, are in another schema, are dropped, or are no partitions any
-- more, so that the name is free for the relation that has it now. They are rebuilt when they are needed. The overlays of dropped tables
-- are dropped, too, if they contain no staged rows.
CREATE OR REPLACE FUNCTION stage.release_names() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_overlay record;
  v_staged boolean;
BEGIN
  PERFORM stage.drop_stand_ins(t.relation, true) FROM stage.tree t LEFT JOIN pg_class c ON c.oid = t.relation
  WHERE (c.relname, c.relnamespace) IS DISTINCT FROM (t.table_name, t.namespace);
  -- only some at once, because each takes locks: a name that is needed is free without this, too
  PERFORM stage.drop_stand_ins(s.relation) FROM (
    SELECT v.relation FROM stage.staged_view v LEFT JOIN pg_class c ON c.oid = v.relation
    WHERE (c.relname, c.relnamespace) IS DISTINCT FROM (v.table_name, v.namespace) OR c.relkind <> 'v' AND NOT c.relispartition LIMIT 50) s;
  FOR v_overlay IN
    SELECT o.relation, o.namespace, o.table_name, c.relname, c.relnamespace, n.nspname
    FROM stage.overlay o LEFT JOIN pg_class c ON c.oid = o.relation LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE (c.relname, c.relnamespace) IS DISTINCT FROM (o.table_name, o.namespace) AND o.table_name <> ''
  LOOP
    EXECUTE format('DROP VIEW IF EXISTS %I.%I CASCADE', 'stage_overlay_' || v_overlay.namespace, v_overlay.table_name);
    IF v_overlay.relname IS NULL THEN
      EXECUTE format('SELECT EXISTS (SELECT 1 FROM stage_data.shadow_%s)', v_overlay.relation) INTO v_staged;
      IF NOT v_staged THEN
        PERFORM stage.forget_overlay(v_overlay.relation);
      END IF;
    END IF;
    UPDATE stage.overlay o SET table_name = coalesce(v_overlay.relname, ''), namespace = coalesce(v_overlay.relnamespace, o.namespace),
      schema_name = coalesce(v_overlay.nspname, o.schema_name),
      signature = '', stamp = '', writable = false
    WHERE o.relation = v_overlay.relation;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.release_names() FROM PUBLIC;
