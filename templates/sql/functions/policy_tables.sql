-- Returns the tables in which a session staged rows that approval replays, each with those above it, partitioned or inherited from. Rows
-- that a trigger staged are not replayed: production's trigger writes them.
CREATE OR REPLACE FUNCTION stage.policy_tables(p_session uuid) RETURNS TABLE (relation oid, lineage oid[], names jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_replayed boolean;
BEGIN
  FOR relation IN SELECT r FROM stage.staged_relations(p_session) r LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM stage_data.shadow_%s s WHERE s._stage_session = $1'
      ' AND s._stage_origin::text NOT IN (''overlay'', ''trigger''))', relation)
    INTO v_replayed USING p_session;
    CONTINUE WHEN NOT v_replayed;
    SELECT t.lineage, t.names INTO lineage, names FROM stage.tables_above(relation) t;
    RETURN NEXT;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.policy_tables(uuid) FROM PUBLIC;
