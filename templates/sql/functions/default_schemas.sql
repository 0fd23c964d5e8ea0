-- Returns the schemas of stage.default_search_path in the order of the search, with the implicit ones. In PL/pgSQL without a path of its own:
-- it sets the path of its caller, and puts it back. Nothing else runs under that path: an operator could be a user's.
CREATE OR REPLACE FUNCTION stage.default_schemas() RETURNS name[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_own pg_catalog.text := pg_catalog.current_setting('search_path');
  v_schemas pg_catalog.name[];
BEGIN
  PERFORM pg_catalog.set_config('search_path', stage.default_search_path(), true);
  v_schemas := pg_catalog.current_schemas(true);
  PERFORM pg_catalog.set_config('search_path', v_own, true);
  RETURN v_schemas;
END $$;
