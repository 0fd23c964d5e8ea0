-- Applies one run and appends the outcome for its rows to the audit. Returns the new end of the chain.
CREATE OR REPLACE FUNCTION stage.apply_run(p_run stage.apply_run, p_state stage.audit_state) RETURNS stage.audit_state
LANGUAGE plpgsql AS $$
DECLARE
  v_operation pg_catalog.text := CASE WHEN p_run.operation OPERATOR(pg_catalog.=) 'I' THEN 'INSERT' WHEN p_run.operation OPERATOR(pg_catalog.=) 'U' THEN 'UPDATE' ELSE 'DELETE' END;
  v_row pg_catalog.record;
  v_count bigint;
  v_frame pg_catalog.text[];
BEGIN
  IF p_run.step OPERATOR(pg_catalog.=) 'capture' THEN
    EXECUTE pg_catalog.format('SELECT stage_data.capture_%s($1, $2, $3, $4, $5, $6)', p_run.relation)
    USING p_state.session, p_run.first, p_run.last, p_run.mutation, p_run.operation, p_run.origin;
    RETURN p_state;
  END IF;

  v_frame := stage.audit_frame(p_state.session, p_state.project_id, p_run.relation, p_run.table_name, p_run.mutation, v_operation,
    p_state.approved_at, p_state.approved_by);
  IF p_run.step OPERATOR(pg_catalog.=) 'apply' AND p_run.row_count OPERATOR(pg_catalog.=) 1 THEN
    EXECUTE pg_catalog.format('SELECT * FROM stage_data.apply_%s_row($1, $2, $3, $4, $5, $6)', p_run.relation) INTO v_row
    USING p_state.session, p_run.first, p_run.last, p_run.mutation, p_run.operation, p_run.origin;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count OPERATOR(pg_catalog.=) 1 THEN
      p_state."position" := p_state."position" OPERATOR(pg_catalog.+) 1;
      p_state.hash := stage.chain_link(p_state.hash, NULL, pg_catalog.convert_to(stage.audit_entry(v_frame,
        p_state."position", v_row.lineage, v_row.row_id, v_row.row_key, v_row.old_data, v_row.new_data, v_row.texts, v_row.staged), 'UTF8'));
      INSERT INTO stage.audit VALUES (
        p_state."position", p_state.session, p_state.project_id, p_run.relation, p_run.table_name, p_run.mutation, v_row.lineage,
        v_operation, v_row.row_id, v_row.row_key, v_row.old_data, v_row.new_data, p_state.approved_at, p_state.approved_by, p_state.hash, v_row.texts, v_row.staged);
    END IF;
  ELSE
    EXECUTE pg_catalog.format($q$
      INSERT INTO stage.audit
      SELECT e."position", $1, $7.project_id, $8, $9, $4, e.lineage, $10, e.row_id, e.row_key, e.old_data, e.new_data,
        $7.approved_at, $7.approved_by,
        -- the function returns rows in the order of their numbers: sorting them again would cost more than the chain
        stage.chain($7.hash, pg_catalog.convert_to(stage.audit_entry($11, e."position", e.lineage, e.row_id, e.row_key, e.old_data,
          e.new_data, e.texts, e.staged), 'UTF8')) OVER (ROWS UNBOUNDED PRECEDING), e.texts, e.staged
      FROM (SELECT a.*, $7."position" OPERATOR(pg_catalog.+) a.ordinality AS "position"
            FROM stage_data.apply_%s_%s($1, $2, $3, $4, $5, $6) WITH ORDINALITY a) e
    $q$, p_run.relation, CASE WHEN p_run.step OPERATOR(pg_catalog.=) 'apply' THEN 'set' ELSE p_run.step::pg_catalog.text END)
    USING p_state.session, p_run.first, p_run.last, p_run.mutation, p_run.operation, p_run.origin, p_state,
      p_run.relation, p_run.table_name, v_operation, v_frame;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    p_state."position" := p_state."position" OPERATOR(pg_catalog.+) v_count;
    SELECT a.hash INTO p_state.hash FROM stage.audit a WHERE a."position" OPERATOR(pg_catalog.=) p_state."position";
  END IF;

  IF v_count OPERATOR(pg_catalog.<>) p_run.row_count THEN
    RAISE EXCEPTION 'production took % of % rows', v_count, p_run.row_count
      USING ERRCODE = 'ST003', TABLE = p_run.table_name, DETAIL = CASE
        WHEN EXISTS (SELECT FROM stage.effect e WHERE e.session OPERATOR(pg_catalog.=) p_state.session AND e.relation OPERATOR(pg_catalog.=) p_run.relation)
        THEN 'A trigger or a rule of production suppressed a change, or did not insert a row under the key that it had while staging.'
        ELSE 'A trigger or a rule of production suppressed a change.' END;
  END IF;
  RETURN p_state;
END $$;
REVOKE ALL ON FUNCTION stage.apply_run(stage.apply_run, stage.audit_state) FROM PUBLIC;
