-- Returns how a table is reached together with those that inherit from it, as one JSON object for stage.stand_in; NULL for a table without
-- children. The signature is that of the view; it is empty when an older snapshot hides the view's entry, and NULL if there is no view, or
-- none of the tables has an overlay.
CREATE OR REPLACE FUNCTION stage.tree_state(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_schema text;
  v_name text;
  v_tree stage.tree;
  v_staged oid[];
  v_exists boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = p_relation) THEN RETURN NULL; END IF;
  SELECT concat('stage_tree_', c.relnamespace), c.relname INTO v_schema, v_name FROM pg_class c WHERE c.oid = p_relation;
  -- the overlay of a table that was renamed or moved still has the former name
  v_staged := ARRAY(SELECT t FROM stage.truncated_tables(p_relation, false) t WHERE stage.overlay_of(t) IS NOT NULL
    OR EXISTS (SELECT FROM stage.overlay o WHERE o.relation = t AND o.signature <> 'dropped'));
  v_exists := stage.is_internal_schema(to_regnamespace(v_schema)) AND to_regclass(format('%I.%I', v_schema, v_name)) IS NOT NULL;
  SELECT * INTO v_tree FROM stage.tree t WHERE t.relation = p_relation;
  RETURN jsonb_build_object('schema', v_schema, 'name', v_name,
    'signature', CASE WHEN v_staged <> '{}' AND v_exists THEN coalesce(v_tree.signature, '') END,
    'writable', coalesce(v_tree.writable, false),
    'stale', v_staged <> '{}' AND (NOT v_exists
      OR v_tree.relation IS NOT NULL AND (NOT stage.fits(v_tree.stamp, stage.tree_stamp(p_relation))
        OR EXISTS (SELECT FROM unnest(v_staged) s WHERE s <> ALL (v_tree.members) AND stage.table_obstacle(s) IS NULL))));
END $$;
