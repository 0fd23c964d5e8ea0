-- Applies the runs of one statement. The order of its sub-statements, and of rows within them, is the one of staging;
-- PostgreSQL judges a statement as a whole, so another order is tried where the first one fails by order alone.
CREATE OR REPLACE FUNCTION stage.apply_statement(p_runs stage.apply_run[], p_state stage.audit_state) RETURNS stage.audit_state
LANGUAGE plpgsql AS $$
DECLARE
  v_state stage.audit_state := p_state;
  v_run stage.apply_run;
BEGIN
  IF pg_catalog.cardinality(p_runs) = 1 THEN
    RETURN stage.apply_rows(p_runs[1], p_state);
  END IF;
  BEGIN
    FOREACH v_run IN ARRAY p_runs LOOP
      v_state := stage.apply_rows(v_run, v_state);
    END LOOP;
    RETURN v_state;
  EXCEPTION WHEN foreign_key_violation THEN
    v_state := p_state;
  END;
  -- WITH wrote the child before the parent: parents first, deletions last and the other way round
  FOR v_run IN
    SELECT r.* FROM pg_catalog.unnest(p_runs) WITH ORDINALITY AS r
    ORDER BY r.step = 'capture' DESC, r.step = 'cascaded', r.operation = 'D',
      CASE WHEN r.operation = 'D' THEN -r.foreign_key_rank ELSE r.foreign_key_rank END, r.ordinality
  LOOP
    v_state := stage.apply_rows(v_run, v_state);
  END LOOP;
  RETURN v_state;
END $$;
REVOKE ALL ON FUNCTION stage.apply_statement(stage.apply_run[], stage.audit_state) FROM PUBLIC;
