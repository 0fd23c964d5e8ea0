-- Reverts the runs of one statement, the last one first. If an overlay refuses that, other ways are tried: row by row, and parents before
-- what the actions of foreign keys have done to their children. That comes first where keys were changed: a child that gets its former key
-- back would follow whichever row has that key until its parent is reverted. Keys that were moved up are reverted one by one, because the
-- children of a row that reaches the next row's key would move on with that one.
CREATE OR REPLACE FUNCTION stage.revert_statement(p_from uuid, p_runs stage.apply_run[], p_skipped bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_parents_first boolean := (SELECT bool_and(u.operation = 'U') AND count(DISTINCT u.relation) > 1 FROM unnest(p_runs) u);
  v_way record;
  v_run stage.apply_run;
BEGIN
  FOR v_way IN
    SELECT w.forward, w.singly, row_number() OVER o = 4 AS is_last
    FROM (VALUES (false, false, 1, 3), (true, false, 2, 2), (false, true, 3, 4), (true, true, 4, 1)) w (forward, singly, place, place_of_keys)
    WINDOW o AS (ORDER BY CASE WHEN v_parents_first THEN w.place_of_keys ELSE w.place END)
    ORDER BY row_number() OVER o
  LOOP
    BEGIN
      FOR v_run IN
        SELECT u.relation, u.table_name, u.step, u.mutation, u.operation, u.origin, r.first, r.last, u.row_count, u.foreign_key_rank
        FROM unnest(p_runs) u CROSS JOIN LATERAL (
          SELECT u.first, u.last WHERE NOT v_way.singly
          UNION ALL SELECT p, p FROM generate_series(u.first, u.last) p WHERE v_way.singly) r (first, last)
        ORDER BY CASE WHEN v_way.forward THEN u.first ELSE -u.first END, r.first DESC
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
