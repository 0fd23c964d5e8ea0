-- Returns a hash that changes whenever the definition of a table changes; NULL when the table is gone.
CREATE OR REPLACE FUNCTION stage.table_signature(p_relation oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT md5(stage.table_definition(p_relation)::text)
$$;
