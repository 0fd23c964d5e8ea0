-- Takes back the runs of one statement, the last one first. Where an overlay has something against that, other ways are tried: row by
-- row, and parents before what the actions of foreign keys have done to their children.
CREATE OR REPLACE FUNCTION stage.revert_statement(p_from uuid, p_runs stage.apply_run[], p_skipped bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_way record;
  v_run stage.apply_run;
BEGIN
  FOR v_way IN
    SELECT f.forward, s.singly, f.forward AND s.singly AS is_last FROM (VALUES (false), (true)) f (forward), (VALUES (false), (true)) s (singly)
    ORDER BY s.singly, f.forward
  LOOP
    BEGIN
      FOR v_run IN
        SELECT u.relation, u.table_name, u.step, u.mutation, u.operation, u.origin, r.first, r.last, u.row_count, u.foreign_key_rank
        FROM unnest(p_runs) u CROSS JOIN LATERAL (
          SELECT u.first, u.last WHERE NOT v_way.singly
          UNION ALL SELECT p, p FROM generate_series(u.first, u.last) p WHERE v_way.singly) r (first, last)
        ORDER BY CASE WHEN v_way.forward THEN r.first ELSE -r.first END
      LOOP
        PERFORM stage.revert_run(p_from, v_run, p_skipped);
      END LOOP;
      RETURN;
    EXCEPTION WHEN integrity_constraint_violation OR SQLSTATE 'ST002' OR cardinality_violation OR triggered_data_change_violation THEN
      IF v_way.is_last THEN RAISE; END IF;
    END;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.revert_statement(uuid, stage.apply_run[], bigint[]) FROM PUBLIC;
