-- Returns the relation whose rows have the type of a name; NULL if the type is another one, or there is none. p_name: {"schema": text, "name":
-- text}, where schema null is any of p_schemas, in their order.
CREATE OR REPLACE FUNCTION stage.row_named(p_name jsonb, p_schemas oid[]) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT stage.row_relation(t.oid)
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
  WHERE t.typname = p_name ->> 'name'
    AND CASE WHEN p_name ->> 'schema' IS NULL THEN n.oid = ANY (p_schemas) ELSE n.nspname = p_name ->> 'schema' END
  ORDER BY array_position(p_schemas, n.oid)
  LIMIT 1
$$;
