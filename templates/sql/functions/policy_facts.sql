-- Returns what the policy judges of the rows that a session staged, for each table: the table with those above it, partitioned or inherited
-- from; and with p_counted the changes of each kind that approval replays, and the number of rows that they change.
CREATE OR REPLACE FUNCTION stage.policy_facts(p_session uuid, p_counted boolean)
RETURNS TABLE (relation oid, lineage oid[], names jsonb, inserts bigint, updates bigint, deletes bigint, row_count bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  FOR relation IN SELECT r FROM stage.staged_relations(p_session) r LOOP
    WITH RECURSIVE above (oid) AS (
      SELECT relation
      UNION
      -- guard: a rule for a table holds for its children
      SELECT i.inhparent FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid
    )
    SELECT array_agg(a.oid), jsonb_agg(jsonb_build_object('schema', n.nspname, 'name', c.relname) ORDER BY a.oid <> relation)
    INTO lineage, names
    FROM above a JOIN pg_class c ON c.oid = a.oid JOIN pg_namespace n ON n.oid = c.relnamespace;
    IF p_counted THEN
      EXECUTE format(
        'SELECT count(*) FILTER (WHERE s._stage_op = ''I''), count(*) FILTER (WHERE s._stage_op = ''U''), count(*) FILTER (WHERE s._stage_op = ''D''),'
        ' count(DISTINCT coalesce(s._stage_root, s._stage_seq)) FROM stage_data.shadow_%s s'
        ' WHERE s._stage_session = $1 AND s._stage_origin <> ''overlay''', relation)
      INTO inserts, updates, deletes, row_count USING p_session;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.policy_facts(uuid, boolean) FROM PUBLIC;
