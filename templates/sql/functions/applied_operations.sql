-- Counts the operations of each kind that this transaction has applied to a table, by the audit.
CREATE OR REPLACE FUNCTION stage.applied_operations(p_session uuid, p_relation oid)
RETURNS TABLE (inserts bigint, updates bigint, deletes bigint)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT count(*) FILTER (WHERE a.operation = 'INSERT'), count(*) FILTER (WHERE a.operation = 'UPDATE'), count(*) FILTER (WHERE a.operation = 'DELETE')
  FROM stage.audit a WHERE a.session = p_session AND a.relation = p_relation;
END $$;
REVOKE ALL ON FUNCTION stage.applied_operations(uuid, oid) FROM PUBLIC;
