-- Removes staged rows of a session, no more than a batch of them, and what is parked of it; says whether nothing is left.
CREATE OR REPLACE FUNCTION stage.discard_some(p_session uuid, p_relations oid[]) RETURNS boolean
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
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION stage.discard_some(uuid, oid[]) FROM PUBLIC;
