-- Returns the lineages of a table that only triggers changed while rows were staged: approval applies nothing of them.
CREATE OR REPLACE FUNCTION stage.effect_roots(p_session uuid, p_relation oid) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM stage.effect e WHERE e.session = p_session AND e.relation = p_relation) THEN RETURN; END IF;
  RETURN QUERY EXECUTE format($q$
    SELECT DISTINCT e.root FROM stage.effect e WHERE e.session = $1 AND e.relation = $2
      -- guard: a row that the client changed, too, is one of the session
      AND NOT EXISTS (SELECT FROM stage_data.shadow_%1$s s WHERE s._stage_session = $1 AND s._stage_seq = e.root AND s._stage_origin::text <> 'trigger')
      AND NOT EXISTS (SELECT FROM stage_data.shadow_%1$s s WHERE s._stage_session = $1 AND s._stage_root = e.root AND s._stage_origin::text NOT IN ('overlay', 'trigger'))
  $q$, p_relation) USING p_session, p_relation;
END $$;
REVOKE ALL ON FUNCTION stage.effect_roots(uuid, oid) FROM PUBLIC;
