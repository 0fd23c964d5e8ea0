-- Returns what current_query() returns in production where the service runs code for a staged statement: the text of the client.
CREATE OR REPLACE FUNCTION stage.current_query() RETURNS text
LANGUAGE sql VOLATILE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(nullif(current_setting('stage.query', true), ''), pg_catalog.current_query())
$$;
