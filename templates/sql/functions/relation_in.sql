-- Returns the relation that {"schema": null | text, "name": text} names where names are looked up in the given schemas, or NULL.
-- A name with a "path" is looked up in the schemas that this lists.
CREATE OR REPLACE FUNCTION stage.relation_in(p_name jsonb, p_path oid[]) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.oid
  FROM unnest(CASE WHEN p_name ->> 'schema' IS NULL THEN stage.path_of_name(p_name, p_path)
    ELSE ARRAY(SELECT n.oid FROM pg_namespace n WHERE n.nspname = p_name ->> 'schema') END) WITH ORDINALITY s(namespace, place)
  JOIN pg_class c ON c.relnamespace = s.namespace AND c.relname = (p_name ->> 'name')::name
  ORDER BY s.place LIMIT 1
$$;
