-- Returns the relations that the connection holds locks on and that no longer exist: it has dropped them in the running transaction.
CREATE OR REPLACE FUNCTION stage.dropped_relations() RETURNS oid[]
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT l.relation FROM pg_lock_status() l
    CROSS JOIN LATERAL pg_identify_object('pg_class'::regclass, l.relation, 0) i
    WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND i.identity IS NULL);
END $$;
