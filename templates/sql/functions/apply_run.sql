-- Applies one run and appends what became of its rows to the audit. Gives the new end of the chain.
CREATE OR REPLACE FUNCTION stage.apply_run(p_run stage.apply_run, p_state stage.audit_state) RETURNS stage.audit_state
LANGUAGE plpgsql AS $$
DECLARE
  v_operation text := CASE p_run.operation WHEN 'I' THEN 'INSERT' WHEN 'U' THEN 'UPDATE' ELSE 'DELETE' END;
  v_function text := CASE
    WHEN p_run.step = 'capture' THEN format('capture_%s', p_run.relation)
    WHEN p_run.step = 'cascaded' THEN format('apply_%s_cascaded', p_run.relation)
    WHEN p_run.row_count = 1 THEN format('apply_%s_row', p_run.relation)
    ELSE format('apply_%s_set', p_run.relation) END;
  v_expected bigint := p_state."position" + CASE p_run.step WHEN 'capture' THEN 0 ELSE p_run.row_count END;
  v_row record;
BEGIN
  FOR v_row IN EXECUTE format('SELECT * FROM stage_data.%I($1, $2, $3, $4, $5, $6)', v_function)
    USING p_state.session, p_run.first, p_run.last, p_run.mutation, p_run.operation, p_run.origin
  LOOP
    p_state."position" := p_state."position" + 1;
    p_state.hash := pg_catalog.sha256(p_state.hash || convert_to(stage.audit_text(
      p_state."position", p_state.session, p_state.project_id, p_run.relation, p_run.table_name, p_run.mutation, v_row.lineage,
      v_operation, v_row.row_id, v_row.row_key, v_row.old_data, v_row.new_data, p_state.approved_at, p_state.approved_by), 'UTF8'));
    INSERT INTO stage.audit VALUES (
      p_state."position", p_state.session, p_state.project_id, p_run.relation, p_run.table_name, p_run.mutation, v_row.lineage,
      v_operation, v_row.row_id, v_row.row_key, v_row.old_data, v_row.new_data, p_state.approved_at, p_state.approved_by, p_state.hash);
  END LOOP;
  IF p_state."position" <> v_expected THEN
    RAISE EXCEPTION 'production took % of % rows', p_run.row_count - v_expected + p_state."position", p_run.row_count
      USING ERRCODE = 'ST003', TABLE = p_run.table_name, HINT = 'A trigger or a rule of production suppressed a change.';
  END IF;
  RETURN p_state;
END $$;
REVOKE ALL ON FUNCTION stage.apply_run(stage.apply_run, stage.audit_state) FROM PUBLIC;
