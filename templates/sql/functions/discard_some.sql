-- Removes at most a batch of a session's staged rows, its orphaned rows, and its mutation log and cards where p_log is true; returns
-- whether nothing is left.
DROP FUNCTION IF EXISTS stage.discard_some(uuid, oid[]);
CREATE OR REPLACE FUNCTION stage.discard_some(p_session uuid, p_relations oid[], p_log boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid;
  v_count bigint;
  v_left bigint := 10000;
BEGIN
  FOREACH v_relation IN ARRAY p_relations LOOP
    EXECUTE format('DELETE FROM stage_data.shadow_%s WHERE ctid = ANY (ARRAY('
      'SELECT s.ctid FROM stage_data.shadow_%1$s s WHERE s._stage_session = $1 LIMIT $2))', v_relation) USING p_session, v_left;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    v_left := v_left - v_count;
    IF v_left = 0 THEN RETURN false; END IF;
  END LOOP;
  DELETE FROM stage.parked_table WHERE session = p_session;
  DELETE FROM stage.staged_table WHERE session = p_session;
  DELETE FROM stage.effect WHERE ctid = ANY (ARRAY(SELECT e.ctid FROM stage.effect e WHERE e.session = p_session LIMIT v_left));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_left := v_left - v_count;
  IF v_left = 0 THEN RETURN false; END IF;
  IF NOT p_log THEN RETURN true; END IF;
  -- guard: the values in cards go with the log
  DELETE FROM stage.card WHERE session = p_session;
  DELETE FROM stage.mutation WHERE ctid = ANY (ARRAY(SELECT m.ctid FROM stage.mutation m WHERE m.session = p_session LIMIT v_left));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count < v_left;
END $$;
REVOKE ALL ON FUNCTION stage.discard_some(uuid, oid[], boolean) FROM PUBLIC;
