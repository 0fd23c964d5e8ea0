-- Returns whether a name still stands for the relation that the proxy took it for, and whether the overlay of the relation still matches
-- it.
-- p_entry: {"schema": null | text, "name", "oid", "signature"}; signature null = no overlay when the name was resolved. A name with ONLY
-- has "only": true; one that stands for a table and its children has "tree", their signature (see stage.tree_state); one that is read
-- through its own view has "readable": whether the role may read it.
-- p_stamp: the relation's stamp, if it is known already.
DROP FUNCTION IF EXISTS stage.is_current(jsonb);
CREATE OR REPLACE FUNCTION stage.is_current(p_entry jsonb, p_stamp text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_relation pg_catalog.oid := stage.relation_named(p_entry);
  v_signature pg_catalog.text;
  v_is_stale boolean;
  v_is_bound boolean;
  v_size bigint;
  v_tree pg_catalog.jsonb;
BEGIN
  -- every SQL statement costs time here, so one query computes what expressions can. 0 is no OID, and a space no signature.
  -- For a table, this query returns what stage.is_stale and stage.is_bound do.
  SELECT o.signature, NOT stage.fits(o.stamp, coalesce(p_stamp, stage.table_stamp(v_relation)))
      -- guard: copies of triggers are as the triggers are now
      OR o.trigger_stamp IS NOT NULL AND NOT stage.triggers_fit(v_relation)
      OR o.policy_stamp IS NOT NULL AND NOT stage.policies_fit(v_relation), EXISTS (
      SELECT FROM stage.identity i JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) i.database
      WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
        AND i.registry OPERATOR(pg_catalog.=) 'stage.overlay'::pg_catalog.regclass::pg_catalog.oid
        AND i.xmin OPERATOR(pg_catalog.=) i.written::pg_catalog.xid)
  INTO v_signature, v_is_stale, v_is_bound
  FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) v_relation
    AND o.signature OPERATOR(pg_catalog.<>) 'dropped';  -- stage.drop_stand_ins leaves it for a table that has become a partition
  IF NOT FOUND THEN
    -- it has a staged view at most: one query computes what stage.signature_of and stage.is_stale would return
    v_is_bound := stage.is_bound();
    v_size := pg_catalog.pg_relation_size('stage.migration');  -- see stage.overlay_of
    SELECT coalesce(
        CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'v' OR c.relispartition THEN t.stamp END,
        CASE WHEN pg_catalog.to_regclass(pg_catalog.concat('stage_overlay_', c.relnamespace, '.', pg_catalog.quote_ident(c.relname))) IS NOT NULL THEN '' END),
      t.relation IS NOT NULL AND (stage.is_stale(c.oid) OR NOT stage.triggers_fit(t.target)) OR NOT (p_entry OPERATOR(pg_catalog.?|) '{tree,only}') AND c.relkind OPERATOR(pg_catalog.=) 'r'
        AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent OPERATOR(pg_catalog.=) c.oid)
    INTO v_signature, v_is_stale
    FROM pg_catalog.pg_class c LEFT JOIN stage.staged_view t ON t.relation OPERATOR(pg_catalog.=) c.oid
    WHERE c.oid OPERATOR(pg_catalog.=) v_relation;
    v_is_stale := v_is_stale OR v_signature IS NULL AND pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.=) 'serializable'
      AND stage.is_cold(v_relation, p_entry OPERATOR(pg_catalog.?) 'only');
  END IF;
  -- guard: a snapshot that does not show carried-over rows is not used
  IF pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.!~~) 'read %' AND stage.is_hidden(v_relation) THEN RETURN false; END IF;
  -- guard: the right to read a view is checked for each role
  IF p_entry OPERATOR(pg_catalog.?) 'readable' AND v_relation IS NOT NULL
    AND pg_catalog.has_any_column_privilege(v_relation, 'SELECT') OPERATOR(pg_catalog.<>) (p_entry OPERATOR(pg_catalog.->>) 'readable')::pg_catalog.bool
  THEN
    RETURN false;
  END IF;
  IF p_entry OPERATOR(pg_catalog.?) 'tree' THEN
    v_tree := stage.tree_state(v_relation);
    v_is_stale := v_is_stale OR v_tree IS NULL OR (v_tree OPERATOR(pg_catalog.->>) 'stale')::pg_catalog.bool
      OR coalesce(v_tree OPERATOR(pg_catalog.->>) 'signature', ' ') OPERATOR(pg_catalog.<>) coalesce(p_entry OPERATOR(pg_catalog.->>) 'tree', ' ');
  END IF;
  RETURN v_is_bound AND coalesce(v_relation, 0) OPERATOR(pg_catalog.=) coalesce((p_entry OPERATOR(pg_catalog.->>) 'oid')::pg_catalog.oid, 0)
    AND coalesce(v_signature, ' ') OPERATOR(pg_catalog.=) coalesce(p_entry OPERATOR(pg_catalog.->>) 'signature', ' ')
    AND v_is_stale IS NOT TRUE;
END $$;
