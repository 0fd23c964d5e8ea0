-- Returns the tables in which a session staged rows that approval replays, each with those above it, partitioned or inherited from. Rows that
-- a trigger staged are not replayed: production's trigger writes them.
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
    WITH RECURSIVE above (oid) AS (
      SELECT relation
      UNION
      -- guard: a rule for a table holds for its children
      SELECT i.inhparent FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid
    )
    SELECT array_agg(a.oid), jsonb_agg(jsonb_build_object('schema', n.nspname, 'name', c.relname) ORDER BY a.oid <> relation)
    INTO lineage, names
    FROM above a JOIN pg_class c ON c.oid = a.oid JOIN pg_namespace n ON n.oid = c.relnamespace;
    RETURN NEXT;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.policy_tables(uuid) FROM PUBLIC;
