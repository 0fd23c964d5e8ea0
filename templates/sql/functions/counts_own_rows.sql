-- Returns whether the session's rows count where the policies of a table read other tables; otherwise, these read production's rows alone.
-- p_role: the role to which the policies apply. It runs for each row that is staged, so the answer is noted for the rest of the statement, as
-- long as the session stages in no further table.
CREATE OR REPLACE FUNCTION stage.counts_own_rows(p_relation oid, p_role name) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_session uuid := current_setting('stage.session');
  v_seal text;
  v_counts boolean;
BEGIN
  SELECT encode(sha256(convert_to(concat_ws(' ', k.key, pg_backend_pid(), statement_timestamp(), v_session, p_relation, p_role,
    (SELECT concat_ws(' ', count(*), count(*) FILTER (WHERE t.by_right)) FROM stage.staged_table t WHERE t.session = v_session)), 'UTF8')), 'hex')
  INTO v_seal FROM stage.seal_key k;
  -- guard: a client does not note that the session's rows count in policies
  IF current_setting('stage.policies_' || p_relation, true) IN (v_seal || ' t', v_seal || ' f') THEN
    RETURN right(current_setting('stage.policies_' || p_relation), 1);
  END IF;
  v_counts := stage.may_count_own_rows(v_session, p_relation, (SELECT r.oid FROM pg_roles r WHERE r.rolname = p_role));
  PERFORM set_config('stage.policies_' || p_relation, concat(v_seal, CASE WHEN v_counts THEN ' t' ELSE ' f' END), true);
  RETURN v_counts;
END $$;
