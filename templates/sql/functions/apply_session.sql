-- Applies everything a session staged, in the caller's transaction, and gives the new end of the audit chain; or, if
-- production refused, what it said. Then nothing was applied.
-- From here on production's own search_path is set, for its triggers may rely on it: whatever runs under it names the schema
-- of each function that takes any type, because somebody else's could fit better.
CREATE OR REPLACE FUNCTION stage.apply_session(INOUT p_state stage.audit_state, OUT failure jsonb)
LANGUAGE plpgsql AS $$
DECLARE
  v_relation oid;
  v_runs stage.apply_run[];
  v_message text;
  v_detail text;
  v_table text;
  v_constraint text;
BEGIN
  FOR v_relation IN SELECT stage.staged_relations(p_state.session) LOOP
    EXECUTE format('SELECT stage_data.prepare_%s($1)', v_relation) USING p_state.session;
  END LOOP;
  PERFORM set_config('search_path', stage.default_search_path(), true);
  SET CONSTRAINTS ALL DEFERRED;
  FOR v_runs IN SELECT p.runs FROM stage.apply_plan(p_state.session) p LOOP
    p_state := stage.apply_statement(v_runs, p_state);
  END LOOP;
  v_runs := NULL;
  SET CONSTRAINTS ALL IMMEDIATE;
  PERFORM set_config('search_path', 'pg_catalog', true);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL, v_table = TABLE_NAME,
    v_constraint = CONSTRAINT_NAME;
  failure := jsonb_build_object('sqlstate', SQLSTATE, 'message', v_message, 'detail', nullif(v_detail, ''),
    'table', coalesce(nullif(v_table, ''), v_runs[1].table_name), 'constraint', nullif(v_constraint, ''),
    'row', CASE WHEN cardinality(v_runs) = 1 THEN stage.row_of_run(p_state.session, v_runs[1]) END);
END $$;
REVOKE ALL ON FUNCTION stage.apply_session(stage.audit_state) FROM PUBLIC;
