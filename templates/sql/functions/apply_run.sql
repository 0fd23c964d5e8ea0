-- Applies one run and appends what became of its rows to the audit, in the same statement. Gives the new end of the chain.
CREATE OR REPLACE FUNCTION stage.apply_run(p_run stage.apply_run, p_state stage.audit_state) RETURNS stage.audit_state
LANGUAGE plpgsql AS $$
DECLARE
  v_function text := CASE WHEN p_run.step = 'cascaded' THEN 'cascaded' WHEN p_run.row_count = 1 THEN 'row' ELSE 'set' END;
  v_count bigint;
BEGIN
  IF p_run.step = 'capture' THEN
    EXECUTE format('SELECT stage_data.capture_%s($1, $2, $3, $4, $5, $6)', p_run.relation)
    USING p_state.session, p_run.first, p_run.last, p_run.mutation, p_run.operation, p_run.origin;
    RETURN p_state;
  END IF;
  EXECUTE format($q$
    WITH entries AS (
      SELECT $7."position" + a.ordinality AS "position", $8 AS operation, a.*
      FROM stage_data.apply_%s_%s($1, $2, $3, $4, $5, $6) WITH ORDINALITY a
    )
    INSERT INTO stage.audit
    SELECT e."position", $1, $7.project_id, $9, $10, $4, e.lineage, e.operation, e.row_id, e.row_key, e.old_data, e.new_data,
      $7.approved_at, $7.approved_by,
      stage.chain($7.hash, pg_catalog.convert_to(stage.audit_text(e."position", $1, $7.project_id, $9, $10, $4, e.lineage,
        e.operation, e.row_id, e.row_key, e.old_data, e.new_data, $7.approved_at, $7.approved_by), 'UTF8'))
        OVER (ORDER BY e."position" ROWS UNBOUNDED PRECEDING)
    FROM entries e
  $q$, p_run.relation, v_function)
  USING p_state.session, p_run.first, p_run.last, p_run.mutation, p_run.operation, p_run.origin, p_state,
    CASE p_run.operation WHEN 'I' THEN 'INSERT' WHEN 'U' THEN 'UPDATE' ELSE 'DELETE' END, p_run.relation, p_run.table_name;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count <> p_run.row_count THEN
    RAISE EXCEPTION 'production took % of % rows', v_count, p_run.row_count
      USING ERRCODE = 'ST003', TABLE = p_run.table_name;
  END IF;
  p_state."position" := p_state."position" + v_count;
  SELECT a.hash INTO p_state.hash FROM stage.audit a WHERE a."position" = p_state."position";
  RETURN p_state;
END $$;
REVOKE ALL ON FUNCTION stage.apply_run(stage.apply_run, stage.audit_state) FROM PUBLIC;
