-- Returns when the session's last mutation was executed; NULL if it has none. Scans the index of sessions backward from the end of the
-- session to its start: with a condition on the session alone, the planner may prefer to scan all mutations backward, and without a lower
-- bound the scan goes through what a deleted session has left. Sorting is off: with the index of roles, all of the session's mutations
-- would be sorted.
CREATE OR REPLACE FUNCTION stage.last_executed(p_session uuid) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off SET jit = off AS $$
BEGIN
  RETURN (
    SELECT m.executed_at FROM stage.mutation m
    WHERE (m.session, m.id) <= (p_session, 9223372036854775807) AND (m.session, m.id) >= (p_session, 0)
    ORDER BY m.session DESC, m.id DESC LIMIT 1);
END $$;
REVOKE ALL ON FUNCTION stage.last_executed(uuid) FROM PUBLIC;
