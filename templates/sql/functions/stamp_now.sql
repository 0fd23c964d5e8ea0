-- Returns the stamp by a snapshot of its own, taken after everything that this connection has been notified of: the statement's snapshot
-- may be older, and a plan that stored its stamp would never be replaced. Therefore it is VOLATILE.
CREATE OR REPLACE FUNCTION stage.stamp_now(p_relation oid) RETURNS text
-- guard: a plan remembers no stamp of an older snapshot
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN stage.table_stamp(p_relation);
END $$;
