-- Returns the functions that {"schema": null | text, "name": text} may stand for where names are looked up in the given schemas.
-- A name with a "path" is looked up in the schemas that this lists.
CREATE OR REPLACE FUNCTION stage.functions_named(p_name jsonb, p_path oid[]) RETURNS SETOF pg_catalog.pg_proc
LANGUAGE sql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.* FROM pg_proc p
  WHERE p.proname = (p_name ->> 'name')::name
    AND CASE WHEN p_name ->> 'schema' IS NULL THEN p.pronamespace = ANY (stage.path_of_name(p_name, p_path))
             ELSE p.pronamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = p_name ->> 'schema') END
$$;
