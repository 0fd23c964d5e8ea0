-- Stages the inverse of an approval in a session, without the lineages that are skipped: statement by statement, the last one first,
-- through the overlays, which check it as they check the writes of clients. Triggers that fire while staging may refuse a row, but not
-- change it. The mutation log records the statements. Raises the error of an overlay or a trigger that refuses a row.
CREATE OR REPLACE FUNCTION stage.revert_session(p_from uuid, p_to uuid, p_skipped bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_runs stage.apply_run[];
BEGIN
  PERFORM stage.fire_triggers();
  PERFORM set_config('stage.session', p_to::text, true), set_config('stage.reverts', 'on', true);
  PERFORM stage.defer_constraints('{}', true, true);
  FOR v_runs IN
    WITH entries AS (
      SELECT a."position", a.relation, a.operation, a.table_name, coalesce(m.statement, a.mutation) AS statement,
        -- a statement may have left several versions of one row: each is reverted separately
        row_number() OVER (PARTITION BY coalesce(m.statement, a.mutation), a.relation, a.operation, a.lineage ORDER BY a."position") AS version
      FROM stage.audit a LEFT JOIN stage.mutation m ON m.session = a.session AND m.id = a.mutation
      WHERE a.session = p_from AND a.lineage <> ALL (p_skipped)
    ), islands AS (
      SELECT e.*, row_number() OVER (ORDER BY e."position")
        - row_number() OVER (PARTITION BY e.statement, e.relation, e.operation, e.version ORDER BY e."position") AS island
      FROM entries e
    ), runs AS (
      SELECT i.statement, i.relation, i.operation, i.table_name, min(i."position") AS first, max(i."position") AS last, count(*) AS row_count
      FROM islands i GROUP BY i.statement, i.relation, i.operation, i.table_name, i.version, i.island
    )
    SELECT array_agg(
        ROW(r.relation, r.table_name, 'apply', r.statement, left(r.operation, 1), 'client', r.first, r.last, r.row_count, 0)::stage.apply_run
        ORDER BY r.first DESC)
    FROM runs r GROUP BY r.statement ORDER BY min(r.first) DESC
  LOOP
    PERFORM stage.revert_statement(p_from, v_runs, p_skipped);
  END LOOP;
  PERFORM stage.defer_constraints('{}', true, false);
  PERFORM set_config('stage.reverts', '', true);
  -- no login has staged it
  -- guard: nobody's login can revert in the name of the service
  UPDATE stage.mutation SET role = NULL WHERE session = p_to;
END $$;
REVOKE ALL ON FUNCTION stage.revert_session(uuid, uuid, bigint[]) FROM PUBLIC;
