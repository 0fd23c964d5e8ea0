-- The tables of which a session has staged rows; none where these are only waiting to be removed.
CREATE OR REPLACE FUNCTION stage.staged_relations(p_session uuid) RETURNS SETOF oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid;
  v_staged boolean;
BEGIN
  IF EXISTS (SELECT FROM stage.discard d WHERE d.session = p_session) THEN RETURN; END IF;
  FOR v_relation IN SELECT o.relation FROM stage.overlay o ORDER BY o.relation LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM stage_data.shadow_%s WHERE _stage_session = $1)', v_relation)
      INTO v_staged USING p_session;
    IF v_staged THEN RETURN NEXT v_relation; END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.staged_relations(uuid) FROM PUBLIC;
