-- Returns the runs of a statement in one of the orders of stage.orders_of_runs. A row of the client's may refer to one that an action
-- deletes, so all rows of a table are deleted at once.
CREATE OR REPLACE FUNCTION stage.ordered_runs(p_runs stage.apply_run[], p_order text) RETURNS SETOF stage.apply_run
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT r.relation, r.table_name, r.step, r.mutation, r.operation,
    CASE WHEN NOT r.is_whole THEN (array_agg(r.origin))[1] END,
    min(r.first), max(r.last), sum(r.row_count)::bigint, r.foreign_key_rank
  FROM (
    SELECT u.relation, u.table_name, s.step, u.mutation, u.operation, u.origin, u.first, u.last, u.row_count,
      u.foreign_key_rank, u.ordinality, u.operation = 'D' AND s.step = 'apply' AND p_order <> 'by production' AS is_whole
    FROM unnest(p_runs) WITH ORDINALITY AS u
    CROSS JOIN LATERAL unnest(
      CASE WHEN p_order = 'by production' AND u.operation = 'D' AND u.origin = 'action' AND u.step = 'apply'
        THEN ARRAY['capture', 'gone']::stage.apply_step[] ELSE ARRAY[u.step] END) AS s (step)) r
  GROUP BY r.relation, r.table_name, r.step, r.mutation, r.operation, r.foreign_key_rank,
    r.is_whole, CASE WHEN r.is_whole THEN 0 ELSE r.ordinality END
  ORDER BY r.step = 'capture' DESC, r.step IN ('cascaded', 'gone'), r.operation = 'D',
    p_order = 'actions later' AND (array_agg(r.origin))[1] = 'action',
    CASE WHEN r.operation = 'D' THEN -r.foreign_key_rank ELSE r.foreign_key_rank END,
    CASE p_order WHEN 'the other way round' THEN -1 ELSE 1 END * min(r.ordinality)
$$;
REVOKE ALL ON FUNCTION stage.ordered_runs(stage.apply_run[], text) FROM PUBLIC;
