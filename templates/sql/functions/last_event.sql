-- Returns the number of a session's last event; 0 if it has none. Scans the index of sessions backward from the end of the session: with a
-- condition on the session alone, the planner may prefer to scan all events backward.
CREATE OR REPLACE FUNCTION stage.last_event(p_session uuid) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off SET jit = off AS $$
BEGIN
  RETURN coalesce((
    SELECT e.number FROM stage.event e
    WHERE (e.session, e.number) <= (p_session, 9223372036854775807) AND (e.session, e.number) >= (p_session, 0)
    ORDER BY e.session DESC, e.number DESC LIMIT 1), 0);
END $$;
REVOKE ALL ON FUNCTION stage.last_event(uuid) FROM PUBLIC;
