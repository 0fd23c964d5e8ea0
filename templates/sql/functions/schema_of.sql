-- Returns the name of a relation's schema, for error messages.
CREATE OR REPLACE FUNCTION stage.schema_of(p_relation oid) RETURNS name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = p_relation
$$;
