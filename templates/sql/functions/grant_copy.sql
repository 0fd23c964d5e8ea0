-- Lets the service account call a copy that belongs to the owner of its function. p_function: its full name without parameters, whose types
-- are in a schema that the owner may not use.
CREATE OR REPLACE FUNCTION stage.grant_copy(p_function text, p_owner name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_acts boolean := NOT pg_has_role(p_owner, 'USAGE');
  v_grant text := format('GRANT EXECUTE ON FUNCTION %s TO %I', p_function, current_user);
BEGIN
  -- the account may act as the owner, but may not have inherited the owner's rights
  IF v_acts THEN PERFORM set_config('role', p_owner, true); END IF;
  EXECUTE v_grant;
  IF v_acts THEN RESET ROLE; END IF;
END $$;
REVOKE ALL ON FUNCTION stage.grant_copy(text, name) FROM PUBLIC;
