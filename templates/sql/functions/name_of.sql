-- Returns the name of a relation, for error messages.
CREATE OR REPLACE FUNCTION stage.name_of(p_relation oid) RETURNS name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.relname FROM pg_class c WHERE c.oid = p_relation
$$;
