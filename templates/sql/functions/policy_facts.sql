-- Returns the facts about a session's rows that the policy limits, for each table of stage.policy_tables: the changes of each kind that
-- approval replays, and the number of rows that they change.
DROP FUNCTION IF EXISTS stage.policy_facts(uuid, boolean);
CREATE OR REPLACE FUNCTION stage.policy_facts(p_session uuid)
RETURNS TABLE (relation oid, lineage oid[], names jsonb, inserts bigint, updates bigint, deletes bigint, row_count bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  FOR relation, lineage, names IN SELECT t.relation, t.lineage, t.names FROM stage.policy_tables(p_session) t LOOP
    EXECUTE format(
      'SELECT count(*) FILTER (WHERE s._stage_op = ''I''), count(*) FILTER (WHERE s._stage_op = ''U''), count(*) FILTER (WHERE s._stage_op = ''D''),'
      ' count(DISTINCT coalesce(s._stage_root, s._stage_seq)) FROM stage_data.shadow_%s s WHERE s._stage_session = $1'
      -- guard: rows that triggers write again at approval are not counted
      ' AND s._stage_origin::text NOT IN (''overlay'', ''trigger'')', relation)
    INTO inserts, updates, deletes, row_count USING p_session;
    RETURN NEXT;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.policy_facts(uuid) FROM PUBLIC;
