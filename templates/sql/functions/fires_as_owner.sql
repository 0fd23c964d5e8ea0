-- Returns whether the triggers of a table that run with their owners' rights fire in the session of the statement, and keeps it so until the
-- end of the transaction.
CREATE OR REPLACE FUNCTION stage.fires_as_owner(p_relation oid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_session uuid := current_setting('stage.session');
BEGIN
  -- writes without the right do not wait for each other
  IF stage.unfired_as_owner(v_session, p_relation) IS NOT NULL THEN RETURN false; END IF;
  PERFORM stage.lock_definers(v_session, true);
  RETURN stage.unfired_as_owner(v_session, p_relation) IS NULL;
END $$;
REVOKE ALL ON FUNCTION stage.fires_as_owner(oid) FROM PUBLIC;
