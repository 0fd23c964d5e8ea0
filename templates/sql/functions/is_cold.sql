-- Returns whether a table that is read needs an overlay although nothing is staged in it. PostgreSQL tracks what a SERIALIZABLE transaction
-- has read, and what another transaction of the session stages conflicts with that only in the shadow table. Children of a table count,
-- too, unless p_only is set. Runs with the service's rights, with which overlays are made.
CREATE OR REPLACE FUNCTION stage.is_cold(p_relation oid, p_only boolean) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- of its own, because a new connection plans the query below, which takes longer than running it
  IF current_setting('transaction_isolation') <> 'serializable' OR p_relation IS NULL THEN RETURN false; END IF;
  RETURN EXISTS (
    SELECT FROM (SELECT p_relation UNION SELECT stage.truncated_tables(p_relation, p_only)) t(relation)
    WHERE stage.overlay_of(t.relation) IS NULL AND stage.table_obstacle(t.relation) IS NULL);
END $$;
