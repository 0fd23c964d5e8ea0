-- The tables of which a session has staged rows.
CREATE OR REPLACE FUNCTION stage.staged_relations(p_session uuid) RETURNS SETOF oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid;
  v_staged boolean;
BEGIN
  FOR v_relation IN SELECT o.relation FROM stage.overlay o ORDER BY o.relation LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM stage_data.shadow_%s WHERE _stage_session = $1)', v_relation)
      INTO v_staged USING p_session;
    IF v_staged THEN RETURN NEXT v_relation; END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.staged_relations(uuid) FROM PUBLIC;
