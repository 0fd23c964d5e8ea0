-- Returns how a session's staged rows are applied: one row for each statement, in the order in which the statements ended, with its runs in
-- order.
-- A client's own rows form one run for each mutation, table and operation, however they interleave. The rows of foreign key actions are
-- split where the table or the operation changes, because a chain of actions has to be followed link by link.
-- The steps:
--   apply     writes the rows. Actions of a DELETE are applied before it, the last one first, so that production finds nothing left to do.
--   capture   Production runs the actions of an UPDATE itself, and those of a DELETE if triggers of its tables may see their order. So their
--             rows are read before the whole statement,
--   cascaded  and after the rows of the client;
--   gone      the same for rows that the actions of a DELETE remove, or of an UPDATE of a row that leaves its partition.
-- Every staged row is in a run, except those that triggers wrote: production's own triggers write them. The statement is NULL for rows that
-- the mutation log does not know. The settings are those that the statement had (see stage.settings_of).
DROP FUNCTION IF EXISTS stage.apply_plan(uuid);
CREATE FUNCTION stage.apply_plan(p_session uuid)
RETURNS TABLE (statement bigint, runs stage.apply_run[], settings jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_variable
DECLARE
  v_client text;
  v_actions text;
BEGIN
  SELECT
    string_agg(format(
      'SELECT %s::oid, _stage_mutation, _stage_op, min(_stage_seq), max(_stage_seq), count(*) FROM stage_data.shadow_%1$s'
      ' WHERE _stage_session = $1 AND _stage_origin = ''client'' GROUP BY _stage_mutation, _stage_op', relation), ' UNION ALL '),
    string_agg(format(
      'SELECT %s::oid AS relation, _stage_mutation AS mutation, _stage_op AS operation, _stage_seq AS seq'
      ' FROM stage_data.shadow_%1$s WHERE _stage_session = $1 AND _stage_origin = ''action''', relation), ' UNION ALL ')
  INTO v_client, v_actions
  FROM stage.staged_relations(p_session) AS relation;
  IF v_client IS NULL THEN RETURN; END IF;

  RETURN QUERY EXECUTE $q$
    WITH client (relation, mutation, operation, first, last, row_count) AS ($q$ || v_client || $q$),
    actions AS (
      SELECT a.relation, a.mutation, a.operation, min(a.seq) AS first, max(a.seq) AS last, count(*) AS row_count
      FROM (SELECT x.*, row_number() OVER (PARTITION BY x.mutation ORDER BY x.seq)
                      - row_number() OVER (PARTITION BY x.mutation, x.relation, x.operation ORDER BY x.seq) AS island
            FROM ($q$ || v_actions || $q$) x) a
      GROUP BY a.relation, a.mutation, a.operation, a.island
    ), own_code AS (
      SELECT r.mutation FROM (SELECT c.relation, c.mutation FROM client c UNION ALL SELECT a.relation, a.mutation FROM actions a) r
      WHERE EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = r.relation AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A'))
    ), acting AS (
      -- guard: triggers see the rows of actions as production's own actions leave them
      SELECT a.*, coalesce(m.operation = 'DELETE' AND a.mutation NOT IN (SELECT o.mutation FROM own_code o), false) AS is_applied
      FROM actions a LEFT JOIN stage.mutation m ON m.session = $1 AND m.id = a.mutation
    ), steps (step, origin, relation, mutation, operation, first, last, row_count) AS (
      SELECT 'apply'::stage.apply_step, 'client'::stage.row_origin, c.* FROM client c
      UNION ALL
      SELECT s.step, 'action', a.relation, a.mutation, a.operation, a.first, a.last, a.row_count
      FROM acting a CROSS JOIN LATERAL (
        SELECT 'apply'::stage.apply_step AS step WHERE a.is_applied
        UNION ALL SELECT 'capture' WHERE NOT a.is_applied
        UNION ALL SELECT CASE a.operation WHEN 'D' THEN 'gone'::stage.apply_step ELSE 'cascaded' END WHERE NOT a.is_applied) s
    )
    SELECT m.statement, array_agg(
        ROW(s.relation, o.shown_name, s.step, s.mutation, s.operation, s.origin, s.first, s.last, s.row_count, o.foreign_key_rank)::stage.apply_run
        ORDER BY s.step = 'capture' DESC, min_first, s.step <> 'apply', s.origin = 'client',
          CASE WHEN s.step = 'apply' AND s.origin = 'action' THEN -s.first ELSE s.first END),
      (array_agg(m.settings) FILTER (WHERE m.settings IS NOT NULL))[1]
    FROM (SELECT s.*, min(s.first) FILTER (WHERE s.origin = 'client') OVER (PARTITION BY s.mutation) AS min_first FROM steps s) s
    -- guard: the log of a session counts, not that of a session that was split from it
    LEFT JOIN stage.mutation m ON m.session = $1 AND m.id = s.mutation
    JOIN stage.overlay o ON o.relation = s.relation
    GROUP BY m.statement
    ORDER BY coalesce(max(m.ended), min(s.first))
  $q$ USING p_session;
END $$;
REVOKE ALL ON FUNCTION stage.apply_plan(uuid) FROM PUBLIC;
