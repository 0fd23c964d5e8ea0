-- Applies one run. Applies its rows one by one if they collide with each other in the order in which PostgreSQL processes them, or if
-- several are versions of one row, which a statement changes only once.
CREATE OR REPLACE FUNCTION stage.apply_rows(p_run stage.apply_run, p_state stage.audit_state) RETURNS stage.audit_state
LANGUAGE plpgsql AS $$
DECLARE
  v_state stage.audit_state := p_state;
  v_seq bigint;
  v_row stage.apply_run := p_run;
BEGIN
  IF p_run.step OPERATOR(pg_catalog.<>) 'apply' OR p_run.row_count OPERATOR(pg_catalog.=) 1 THEN
    RETURN stage.apply_run(p_run, p_state);
  END IF;
  BEGIN
    RETURN stage.apply_run(p_run, p_state);
  EXCEPTION WHEN unique_violation OR exclusion_violation OR SQLSTATE 'ST003' THEN
    v_row.row_count := 1;
  END;
  FOR v_seq IN SELECT r FROM stage.rows_of_run(p_state.session, p_run) r LOOP
    v_row.first := v_seq;
    v_state := stage.apply_run(v_row, v_state);
  END LOOP;
  RETURN v_state;
END $$;
REVOKE ALL ON FUNCTION stage.apply_rows(stage.apply_run, stage.audit_state) FROM PUBLIC;
