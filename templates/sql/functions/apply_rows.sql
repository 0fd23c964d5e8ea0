-- Applies one run; if its rows collide with each other by the order in which PostgreSQL comes across them, or are several
-- versions of one row, of which a statement takes but one, one by one.
CREATE OR REPLACE FUNCTION stage.apply_rows(p_run stage.apply_run, p_state stage.audit_state) RETURNS stage.audit_state
LANGUAGE plpgsql AS $$
DECLARE
  v_state stage.audit_state := p_state;
  v_seq bigint;
  v_row stage.apply_run := p_run;
BEGIN
  IF p_run.step <> 'apply' OR p_run.row_count = 1 THEN
    RETURN stage.apply_run(p_run, p_state);
  END IF;
  BEGIN
    RETURN stage.apply_run(p_run, p_state);
  EXCEPTION WHEN unique_violation OR exclusion_violation OR SQLSTATE 'ST003' THEN
    v_row.row_count := 1;
  END;
  FOR v_seq IN EXECUTE pg_catalog.format(
    'SELECT _stage_seq FROM stage_data.shadow_%s WHERE _stage_session = $1 AND _stage_seq BETWEEN $2 AND $3'
    ' AND _stage_mutation = $4 AND _stage_op = $5 AND (_stage_origin = $6 OR $6 = ''a'' AND _stage_origin IN (''c'', ''f''))'
    ' ORDER BY _stage_seq', p_run.relation)
    USING p_state.session, p_run.first, p_run.last, p_run.mutation, p_run.operation, p_run.origin
  LOOP
    v_row.first := v_seq;
    v_state := stage.apply_run(v_row, v_state);
  END LOOP;
  RETURN v_state;
END $$;
REVOKE ALL ON FUNCTION stage.apply_rows(stage.apply_run, stage.audit_state) FROM PUBLIC;
