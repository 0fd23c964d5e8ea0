-- Returns whether a session has rows that were staged after the given number was drawn from stage.seq.
CREATE OR REPLACE FUNCTION stage.staged_since(p_session uuid, p_number bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid;
  v_found boolean;
BEGIN
  FOR v_relation IN SELECT stage.staged_relations(p_session) LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM stage_data.shadow_%s WHERE _stage_session = $1 AND _stage_seq > $2)', v_relation)
      INTO v_found USING p_session, p_number;
    IF v_found THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
END $$;
REVOKE ALL ON FUNCTION stage.staged_since(uuid, bigint) FROM PUBLIC;
