-- Whether a table that is read has to get an overlay although nothing is staged in it: of a SERIALIZABLE transaction PostgreSQL keeps what it
-- has read, and what another one of the session stages meets that in the shadow table alone. Of a table with children these count, too,
-- unless p_only. With the service's rights, by which overlays are made.
CREATE OR REPLACE FUNCTION stage.is_cold(p_relation oid, p_only boolean) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN current_setting('transaction_isolation') = 'serializable' AND p_relation IS NOT NULL AND EXISTS (
    SELECT FROM (SELECT p_relation UNION SELECT stage.truncated_tables(p_relation, p_only)) t(relation)
    WHERE stage.overlay_of(t.relation) IS NULL AND stage.table_obstacle(t.relation) IS NULL);
END $$;
