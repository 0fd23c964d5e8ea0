-- Returns the net change of each row of a table that this transaction has applied, by the audit. VOLATILE, for callers that do not see the
-- changes of the transaction.
CREATE OR REPLACE FUNCTION stage.landed(p_session uuid, p_relation oid)
RETURNS TABLE (number bigint, operation text, after jsonb)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT a.number, a.operation, a.after FROM stage.audit_diff(p_session, p_relation) a;
END $$;
REVOKE ALL ON FUNCTION stage.landed(uuid, oid) FROM PUBLIC;
