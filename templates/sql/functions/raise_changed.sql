-- Raises an error because another connection of the same session changed the row first. Under READ COMMITTED the proxy waits for the row
-- whose newest version is named here, if one is, and runs the statement again, or reports 40001, as the other isolation levels do.
DROP FUNCTION IF EXISTS stage.raise_changed();
CREATE OR REPLACE FUNCTION stage.raise_changed(p_relation oid DEFAULT NULL, p_seq bigint DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'could not serialize access due to concurrent update' USING
    ERRCODE = CASE WHEN current_setting('transaction_isolation') LIKE 'read %' THEN 'ST002' ELSE '40001' END,
    DETAIL = coalesce(p_relation || ' ' || p_seq, '');
END $$;
