-- Returns the row_id of the only row of a run; NULL when there are more.
CREATE OR REPLACE FUNCTION stage.row_of_run(p_session uuid, p_run stage.apply_run) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_members text;
  v_value text;
  v_row jsonb;
BEGIN
  SELECT string_agg(format('%L, stage.key_value(%s)', k.name, x.expression), ', ' ORDER BY k.number), min(x.expression)
  INTO v_members, v_value
  FROM stage.overlay o
  CROSS JOIN unnest(o.key_columns) WITH ORDINALITY AS k (name, number)
  CROSS JOIN LATERAL (
    SELECT CASE p_run.operation WHEN 'I' THEN quote_ident(k.name) ELSE '_stage_old_' || k.number END AS expression) x
  WHERE o.relation = p_run.relation AND p_run.row_count = 1
  HAVING count(*) > 0;
  IF v_members IS NULL THEN RETURN NULL; END IF;
  EXECUTE format('SELECT CASE WHEN (SELECT cardinality(key_columns) FROM stage.overlay WHERE relation = $3) = 1'
    ' THEN stage.key_value(%s) ELSE jsonb_build_object(%s) END'
    ' FROM stage_data.shadow_%s WHERE _stage_session = $1 AND _stage_seq = $2', v_value, v_members, p_run.relation)
  INTO v_row USING p_session, p_run.first, p_run.relation;
  RETURN v_row;
END $$;
REVOKE ALL ON FUNCTION stage.row_of_run(uuid, stage.apply_run) FROM PUBLIC;
