-- Returns what stage.own_session does, for a table that had no policies when its overlay was made: a client that goes around the service
-- may be the first to come after policies were made. Uses the session of a row and no condition of the statement, because some conditions
-- would keep MERGE from being planned.
CREATE OR REPLACE FUNCTION stage.open_session(p_session uuid, p_relation oid) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1e-45 AS $$
BEGIN
  -- guard: staged rows are not shown past policies that came after the overlay
  IF pg_catalog.row_security_active(p_relation) THEN PERFORM stage.raise_altered(p_relation); END IF;
  RETURN CASE WHEN p_session OPERATOR(pg_catalog.=) pg_catalog.current_setting('stage.session')::pg_catalog.uuid THEN p_session END;
END $$;
