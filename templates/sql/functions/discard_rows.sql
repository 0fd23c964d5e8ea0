-- Removes every staged row of a session and gives their number.
CREATE OR REPLACE FUNCTION stage.discard_rows(p_session uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid;
  v_count bigint;
  v_total bigint := 0;
BEGIN
  FOR v_relation IN SELECT stage.staged_relations(p_session) LOOP
    EXECUTE format('DELETE FROM stage_data.shadow_%s WHERE _stage_session = $1', v_relation) USING p_session;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    v_total := v_total + v_count;
  END LOOP;
  DELETE FROM stage.parked_table WHERE session = p_session;
  RETURN v_total;
END $$;
REVOKE ALL ON FUNCTION stage.discard_rows(uuid) FROM PUBLIC;
