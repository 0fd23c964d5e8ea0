-- Returns the numbers of the staged rows of a run, in order.
CREATE OR REPLACE FUNCTION stage.rows_of_run(p_session uuid, p_run stage.apply_run) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT _stage_seq FROM stage_data.shadow_%s WHERE _stage_session = $1 AND _stage_seq BETWEEN $2 AND $3'
    ' AND _stage_mutation = $4 AND _stage_op = $5 AND (_stage_origin = $6 OR $6 IS NULL AND _stage_origin <> ''overlay'')'
    ' ORDER BY _stage_seq', p_run.relation)
    USING p_session, p_run.first, p_run.last, p_run.mutation, p_run.operation, p_run.origin;
END $$;
REVOKE ALL ON FUNCTION stage.rows_of_run(uuid, stage.apply_run) FROM PUBLIC;
