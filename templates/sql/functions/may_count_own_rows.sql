-- Returns what stage.counts_own_rows does, without its note.
CREATE OR REPLACE FUNCTION stage.may_count_own_rows(p_session uuid, p_relation oid, p_role oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_uses jsonb;
  v_tables oid[];
BEGIN
  SELECT o.policy_uses INTO v_uses FROM stage.overlay o WHERE o.relation = p_relation AND o.policy_uses ? 'tables';
  IF NOT FOUND THEN RETURN false; END IF;
  v_tables := ARRAY(SELECT t.relation::oid FROM jsonb_array_elements_text(v_uses -> 'tables') t (relation));
  IF NOT EXISTS (SELECT FROM stage.staged_table t WHERE t.session = p_session AND (t.relation = ANY (v_tables)
    -- what partitions and trees show is staged elsewhere
    OR EXISTS (SELECT FROM pg_class r WHERE r.oid = ANY (v_tables) AND (r.relispartition OR r.relhassubclass))))
  THEN
    RETURN false;
  END IF;
  -- guard: rows that a client could not write give no right
  IF stage.rows_beyond_right(p_session, v_tables, '{}') IS NOT NULL THEN RETURN false; END IF;
  -- guard: rows that a revert has staged give no right
  IF EXISTS (SELECT FROM stage.session s WHERE s.id = p_session AND s.reverts IS NOT NULL) THEN RETURN false; END IF;
  -- an overlay reads every column, the policy itself perhaps some only
  IF EXISTS (SELECT FROM jsonb_array_elements_text(v_uses -> 'asCaller') t (relation) WHERE NOT has_table_privilege(p_role, t.relation::oid, 'SELECT')) THEN RETURN false; END IF;
  -- guard: policies call no copy of a function that the role may not call
  IF NOT stage.may_call(v_uses, ARRAY['pg_catalog'::regnamespace::oid], p_role) THEN RETURN false; END IF;
  -- guard: policies are evaluated as they were followed as long as nothing in them has changed
  RETURN stage.policies_fit(p_relation);
END $$;
REVOKE ALL ON FUNCTION stage.may_count_own_rows(uuid, oid, oid) FROM PUBLIC;
