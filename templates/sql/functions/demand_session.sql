-- Raises an error unless the connection stages in an active session.
CREATE OR REPLACE FUNCTION stage.demand_session() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_session uuid := nullif(current_setting('stage.session', true), '');
BEGIN
  -- guard: nobody outside a session locks the table of a compiled trigger
  IF NOT EXISTS (SELECT FROM stage.session s WHERE s.id = v_session AND s.status = 'active') THEN
    RAISE EXCEPTION 'permission denied: the connection stages in no session' USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;
REVOKE ALL ON FUNCTION stage.demand_session() FROM PUBLIC;
