-- Takes a table's name away from the overlay of another table that bore it before, and was dropped or renamed since. What is
-- staged of that one stays as it is; its overlay is built again when it is next used, and counts as changed until then.
CREATE OR REPLACE FUNCTION stage.release_name(p_relation oid, p_namespace oid, p_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  v_relation oid;
  v_schema text;
BEGIN
  FOR v_relation IN
    SELECT o.relation FROM stage.overlay o
    WHERE o.namespace = p_namespace AND o.table_name = p_name AND o.relation <> p_relation
  LOOP
    FOREACH v_schema IN ARRAY ARRAY['stage_overlay_', 'stage_upsert_'] LOOP
      EXECUTE format('ALTER VIEW IF EXISTS %I.%I RENAME TO %I', v_schema || p_namespace, p_name, 'released_' || v_relation);
    END LOOP;
    UPDATE stage.overlay SET table_name = 'released_' || v_relation, signature = '-', stamp = '-' WHERE relation = v_relation;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.release_name(oid, oid, text) FROM PUBLIC;
