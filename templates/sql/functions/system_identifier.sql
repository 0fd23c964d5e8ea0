-- Returns the number that a cluster gets when it is created; null if the role may not read it.
CREATE OR REPLACE FUNCTION stage.system_identifier() RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT has_function_privilege('pg_control_system()', 'EXECUTE') THEN RETURN NULL; END IF;
  RETURN (SELECT c.system_identifier FROM pg_control_system() c);
END $$;
REVOKE ALL ON FUNCTION stage.system_identifier() FROM PUBLIC;
