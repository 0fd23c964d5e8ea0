-- Ends a rebinding: from here on the OIDs of this schema are those of this database.
CREATE OR REPLACE FUNCTION stage.finish_rebinding() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE stage.identity SET system_identifier = r.system_identifier, database = r.database, registry = r.registry, written = pg_current_xact_id()
  FROM stage.rebinding r WHERE r.finished_at IS NULL;
  UPDATE stage.rebinding SET finished_at = clock_timestamp() WHERE finished_at IS NULL;
$$;
REVOKE ALL ON FUNCTION stage.finish_rebinding() FROM PUBLIC;
