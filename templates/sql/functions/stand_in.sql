-- Returns the stand-in of a relation for one use of its name, as one JSON object (see StandIn in src/rewrite/resolved-name.ts). p_kind: as
-- stage.resolve_relations determines it. p_only: ONLY was written. p_target: the kind of write that the relation is the target of, or NULL.
-- A table with children is used together with them, except after ONLY and as the target of an INSERT.
CREATE OR REPLACE FUNCTION stage.stand_in(p_relation oid, p_kind text, p_only boolean, p_target text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_class pg_class;
  v_staged stage.staged_view;
  v_overlay stage.overlay;
  v_view jsonb;
  v_tree jsonb;
  v_signature text := stage.signature_of(p_relation);
  v_is_stale boolean := stage.is_stale(p_relation);
  v_has_view boolean := stage.has_staged_view(p_relation);
  v_is_own boolean;    -- the overlay view of its name is its own
  v_is_read boolean;   -- through a staged view, or together with the children
  v_is_target boolean := p_target IS NOT NULL;
  v_is_readable boolean;  -- null if it is not read through its own view
  v_is_cold boolean := false;  -- it is read, and that needs an overlay
  v_is_lost boolean;  -- the view with the children's rows is outdated, or an old snapshot hides it
BEGIN
  IF p_kind = 'temporary' THEN
    -- it is written to directly, by a name that can mean nothing else
    RETURN jsonb_build_object('madeAs', 'overlay', 'isLacking', false, 'isHidden', false,
      'view', CASE WHEN v_is_target THEN (SELECT jsonb_build_object('schema', 'pg_temp', 'name', c.relname) FROM pg_class c WHERE c.oid = p_relation) END,
      'verify', jsonb_build_object('oid', p_relation::int8, 'signature', NULL, 'only', true));
  END IF;
  SELECT * INTO v_class FROM pg_class c WHERE c.oid = p_relation;
  SELECT * INTO v_staged FROM stage.staged_view t WHERE t.relation = p_relation;
  SELECT * INTO v_overlay FROM stage.overlay o WHERE o.relation = coalesce(CASE WHEN v_has_view THEN v_staged.target END, p_relation);
  -- a staged view may be left of a former partition, an overlay of a table that has become a partition
  v_is_own := CASE WHEN v_has_view THEN v_staged.relation IS NOT NULL ELSE v_overlay.relation IS NOT NULL OR v_staged.relation IS NULL END;
  IF v_is_own AND stage.overlay_of(p_relation) IS NOT NULL THEN
    v_view := jsonb_build_object('schema', concat('stage_overlay_', v_class.relnamespace), 'name', v_class.relname);
  END IF;
  IF v_class.relkind = 'r' AND v_class.relhassubclass AND NOT p_only AND p_target IS DISTINCT FROM 'INSERT' THEN
    v_tree := stage.tree_state(p_relation);
  END IF;
  v_is_read := NOT v_is_target AND (v_has_view OR v_tree IS NOT NULL) AND p_kind <> ALL ('{system,stage}');
  v_is_readable := CASE WHEN v_is_read THEN has_any_column_privilege(p_relation, 'SELECT') END;
  v_is_stale := v_is_stale OR v_overlay.relation IS NOT NULL AND v_class.relkind = 'p' AND NOT v_class.relispartition
    AND coalesce(v_overlay.partitions_stamp, '') <> coalesce(stage.partitions_stamp(p_relation), '');
  v_is_stale := v_is_stale OR NOT stage.triggers_fit(v_overlay.relation) OR v_overlay.relation = p_relation AND NOT stage.policies_fit(p_relation);
  IF p_kind IN ('table', 'partitioned') AND NOT v_is_target AND NOT v_has_view THEN
    -- guard: SERIALIZABLE transactions read tables through overlays
    v_is_cold := stage.is_cold(p_relation, p_only);
  END IF;
  v_is_lost := coalesce((v_tree ->> 'stale')::boolean OR v_tree ->> 'signature' = '', false);
  RETURN jsonb_build_object(
    'madeAs', CASE WHEN v_is_read OR v_is_cold THEN 'staged view' ELSE 'overlay' END,
    -- guard: a view that the role may not read is left to PostgreSQL, which refuses it
    'view', CASE WHEN NOT v_is_readable THEN NULL
      WHEN v_tree IS NULL THEN v_view WHEN v_tree ->> 'signature' IS NOT NULL THEN v_tree - '{signature,writable,stale}'::text[] END,
    'verify', jsonb_strip_nulls(jsonb_build_object('only', nullif(p_only, false), 'readable', v_is_readable))
      || jsonb_build_object('oid', p_relation::int8, 'signature', v_signature)
      || CASE WHEN v_tree IS NULL THEN '{}' ELSE jsonb_build_object('tree', v_tree -> 'signature') END,
    'isLacking', v_is_stale OR v_is_lost OR v_is_cold OR CASE
      WHEN v_is_read THEN v_tree IS NULL AND v_view IS NULL
      -- a view without an entry was made for another table of that name
      ELSE v_view IS NOT NULL AND v_signature = '' AND NOT v_has_view
        OR v_is_target AND NOT (v_view IS NOT NULL AND coalesce(v_overlay.writable, false)
          AND (v_tree IS NULL OR v_tree ->> 'signature' IS NOT NULL AND (v_tree ->> 'writable')::boolean)) END,
    'isHidden', v_is_stale OR stage.is_hidden(p_relation) OR coalesce((v_tree ->> 'stale')::boolean, false)
      OR v_is_target AND v_tree IS NOT NULL AND v_tree ->> 'signature' IS NULL
      OR (v_is_target OR v_is_read AND v_tree IS NULL) AND v_view IS NULL);
END $$;
