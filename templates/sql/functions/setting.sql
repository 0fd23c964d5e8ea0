-- Returns a setting of the service; NULL if it is empty or not set.
CREATE OR REPLACE FUNCTION stage.setting(p_name text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT nullif(current_setting(p_name, true), '')
$$;
