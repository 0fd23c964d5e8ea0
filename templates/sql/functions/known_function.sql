-- Returns the function of the server, or of an extension, that has the given code in C; no row for other code. A user's function with that
-- code does the same under any name, volatility and types.
CREATE OR REPLACE FUNCTION stage.known_function(p_language oid, p_source text, p_library text)
RETURNS TABLE (schema name, name name, volatility "char", is_extension boolean)
LANGUAGE sql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
  SELECT n.nspname, p.proname, p.provolatile, p.oid >= 16384
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE p.prolang = p_language AND p.prosrc = p_source AND p.probin IS NOT DISTINCT FROM p_library
    AND (p.oid < 16384 OR stage.is_of_extension('pg_proc', p.oid))
  ORDER BY p.provolatile = 'v' DESC, p.oid
  LIMIT 1
$$;
