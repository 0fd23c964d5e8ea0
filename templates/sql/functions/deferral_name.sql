-- Returns the end of the names of the triggers that check a production table's constraint at COMMIT.
CREATE OR REPLACE FUNCTION stage.deferral_name(p_table oid, p_name text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT md5(p_table || '.' || p_name)
$$;
