-- The stamp by a snapshot of its own, taken after whatever this connection has heard of: the statement's may be older, and a plan
-- that kept what that one shows would never be made anew. That is why it is VOLATILE.
CREATE OR REPLACE FUNCTION stage.stamp_now(p_relation oid) RETURNS text
-- guard: a plan remembers no stamp of an older snapshot
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN stage.table_stamp(p_relation);
END $$;
