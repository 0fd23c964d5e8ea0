-- Applies the runs of one statement. The order of its sub-statements, and of rows within them, is the one of staging;
-- PostgreSQL judges a statement as a whole, so other orders are tried where the first one fails by order alone.
CREATE OR REPLACE FUNCTION stage.apply_statement(p_runs stage.apply_run[], p_state stage.audit_state) RETURNS stage.audit_state
LANGUAGE plpgsql AS $$
DECLARE
  v_state stage.audit_state := p_state;
  v_run stage.apply_run;
  v_order text;
  v_orders text[] := ARRAY['as staged', 'the other way round', 'actions later'];
BEGIN
  IF pg_catalog.cardinality(p_runs) = 1 THEN
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
  -- A child was written before its parent: parents first, deletions last and the other way round. A row of the client's may
  -- refer to one that an action deletes: all of a table go at once. An action may change a row that the statement puts in.
  -- What an action deletes may be referred to with RESTRICT by the row that it was for: production's own action deletes it then.
  IF EXISTS (SELECT FROM pg_catalog.unnest(p_runs) r WHERE r.operation = 'D' AND r.origin = 'f' AND r.step = 'apply') THEN
    v_orders := v_orders || 'by production'::text;
  END IF;
  FOREACH v_order IN ARRAY v_orders LOOP
    BEGIN
      FOR v_run IN
        SELECT r.relation, r.table_name, r.step, r.mutation, r.operation,
          CASE WHEN r.is_whole THEN 'a' ELSE (pg_catalog.array_agg(r.origin))[1] END::"char",
          pg_catalog.min(r.first), pg_catalog.max(r.last), pg_catalog.sum(r.row_count)::bigint, r.foreign_key_rank
        FROM (
          SELECT u.relation, u.table_name, s.step, u.mutation, u.operation, u.origin, u.first, u.last, u.row_count,
            u.foreign_key_rank, u.ordinality, u.operation = 'D' AND s.step = 'apply' AND v_order <> 'by production' AS is_whole
          FROM pg_catalog.unnest(p_runs) WITH ORDINALITY AS u
          CROSS JOIN LATERAL pg_catalog.unnest(
            CASE WHEN v_order = 'by production' AND u.operation = 'D' AND u.origin = 'f' AND u.step = 'apply'
              THEN ARRAY['capture', 'gone'] ELSE ARRAY[u.step] END) AS s (step)) r
        GROUP BY r.relation, r.table_name, r.step, r.mutation, r.operation, r.foreign_key_rank,
          r.is_whole, CASE WHEN r.is_whole THEN 0 ELSE r.ordinality END
        ORDER BY r.step = 'capture' DESC, r.step IN ('cascaded', 'gone'), r.operation = 'D',
          v_order = 'actions later' AND (pg_catalog.array_agg(r.origin))[1] = 'f',
          CASE WHEN r.operation = 'D' THEN -r.foreign_key_rank ELSE r.foreign_key_rank END,
          CASE v_order WHEN 'the other way round' THEN -1 ELSE 1 END * pg_catalog.min(r.ordinality)
      LOOP
        v_state := stage.apply_rows(v_run, v_state);
      END LOOP;
      RETURN v_state;
    EXCEPTION WHEN foreign_key_violation OR restrict_violation OR SQLSTATE 'ST003' THEN
      IF v_order = v_orders[pg_catalog.cardinality(v_orders)] THEN RAISE; END IF;
      v_state := p_state;
    END;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.apply_statement(stage.apply_run[], stage.audit_state) FROM PUBLIC;
