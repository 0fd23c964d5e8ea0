-- Applies the runs of one statement. Its sub-statements, and the rows within them, are applied in the order of staging first. PostgreSQL
-- checks a statement as a whole, so other orders are tried where the first one fails with an error that may depend on the order.
CREATE OR REPLACE FUNCTION stage.apply_statement(p_runs stage.apply_run[], p_state stage.audit_state) RETURNS stage.audit_state
LANGUAGE plpgsql AS $$
DECLARE
  v_state stage.audit_state := p_state;
  v_run stage.apply_run;
  v_order pg_catalog.text;
  v_orders pg_catalog.text[];
BEGIN
  IF pg_catalog.cardinality(p_runs) OPERATOR(pg_catalog.=) 1 THEN
    RETURN stage.apply_rows(p_runs[1], p_state);
  END IF;
  BEGIN
    FOREACH v_run IN ARRAY p_runs LOOP
      v_state := stage.apply_rows(v_run, v_state);
    END LOOP;
    RETURN v_state;
  EXCEPTION WHEN foreign_key_violation OR restrict_violation OR SQLSTATE 'ST003' THEN
    v_state := p_state;
  END;
  v_orders := stage.orders_of_runs(p_runs);
  FOREACH v_order IN ARRAY v_orders LOOP
    BEGIN
      FOR v_run IN SELECT * FROM stage.ordered_runs(p_runs, v_order) LOOP
        v_state := stage.apply_rows(v_run, v_state);
      END LOOP;
      RETURN v_state;
    EXCEPTION WHEN foreign_key_violation OR restrict_violation OR SQLSTATE 'ST003' THEN
      IF v_order OPERATOR(pg_catalog.=) v_orders[pg_catalog.cardinality(v_orders)] THEN RAISE; END IF;
      v_state := p_state;
    END;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.apply_statement(stage.apply_run[], stage.audit_state) FROM PUBLIC;
