-- Returns stage.rows_written for the tables outside the service's schemas that the running transaction has written to, as {OID: rows}.
-- Nothing writes to a table without the lock of writes, which stays to the end, except of a savepoint that was rolled back to. Rows of a
-- partition are not counted for the tables above it, which are locked with it. Foreign tables, which have no counters, are left out.
CREATE OR REPLACE FUNCTION stage.locked_writes() RETURNS jsonb
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_object_agg(c.oid, stage.rows_written(c.oid)), '{}')
    FROM pg_lock_status() l JOIN pg_class c ON c.oid = l.relation
    WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.mode = 'RowExclusiveLock'
      AND c.relkind IN ('r', 'p') AND c.oid >= 16384 AND NOT stage.is_internal_schema(c.relnamespace));
END $$;
