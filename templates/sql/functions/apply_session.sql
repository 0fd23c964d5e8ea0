-- Applies everything that a session staged, in the caller's transaction. Returns the new end of the audit chain or, if production refused a
-- row, the failure; then nothing was applied.
-- From here on production's own search_path is set, because its triggers may rely on it. So whatever runs under it has a search_path of its
-- own or names the schema of everything, operators and types included: objects of other users could match better or come first.
CREATE OR REPLACE FUNCTION stage.apply_session(INOUT p_state stage.audit_state, OUT failure jsonb)
LANGUAGE plpgsql AS $$
DECLARE
  v_relation pg_catalog.oid;
  v_step pg_catalog.record;
  v_runs stage.apply_run[];
  v_settings pg_catalog.jsonb;
  v_message pg_catalog.text;
  v_detail pg_catalog.text;
  v_context pg_catalog.text;
  v_table pg_catalog.text;
  v_constraint pg_catalog.text;
BEGIN
  PERFORM stage.demand_causes(p_state.session);
  FOR v_relation IN SELECT stage.staged_relations(p_state.session) LOOP
    EXECUTE pg_catalog.format('SELECT stage_data.prepare_%s($1)', v_relation) USING p_state.session;
  END LOOP;
  PERFORM pg_catalog.set_config('search_path', stage.default_search_path(), true);
  SET CONSTRAINTS ALL DEFERRED;
  FOR v_step IN SELECT p.statement, p.runs, p.settings FROM stage.apply_plan(p_state.session) p LOOP
    v_runs := v_step.runs;
    -- guard: no staged row is left out where the mutation log lacks its statement
    IF v_step.statement IS NULL THEN
      RAISE EXCEPTION 'the mutation log lacks the statement that staged rows of %', v_runs[1].table_name
        USING ERRCODE = 'data_corrupted', TABLE = v_runs[1].table_name;
    END IF;
    IF v_settings IS NOT NULL OR v_step.settings IS NOT NULL THEN
      PERFORM stage.restore_settings(v_settings, v_step.settings);
      v_settings := v_step.settings;
    END IF;
    p_state := stage.apply_statement(v_runs, p_state);
  END LOOP;
  v_runs := NULL;
  SET CONSTRAINTS ALL IMMEDIATE;
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog', true);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL, v_context = PG_EXCEPTION_CONTEXT, v_table = TABLE_NAME,
    v_constraint = CONSTRAINT_NAME;
  failure := stage.failure_of_runs(SQLSTATE, v_message, v_detail, v_context, v_table, v_constraint, p_state.session, v_runs);
END $$;
REVOKE ALL ON FUNCTION stage.apply_session(stage.audit_state) FROM PUBLIC;
