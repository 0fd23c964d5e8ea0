-- When the session's last mutation was; NULL where it has none. Read back from behind its place in the index of sessions to before it:
-- asked for by the session alone, the planner may prefer the way back through all mutations, and without an end what a deleted session
-- has left is gone through. Nothing is sorted: by the index of roles, all of the session's mutations would be.
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
