-- Returns a value as PostgreSQL shows it in the DETAIL of a failing row.
CREATE OR REPLACE FUNCTION stage.display_value(p_value text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN p_value IS NULL THEN 'null' WHEN length(p_value) > 64 THEN left(p_value, 64) || '...' ELSE p_value END
$$;
