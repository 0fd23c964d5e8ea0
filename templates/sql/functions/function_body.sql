-- Returns the body of a function in SQL or PL/pgSQL as text. PostgreSQL keeps a body in BEGIN ATOMIC or RETURN analysed. It prints such a
-- body with the schemas of all names that are not its own under this search_path, and with casts where types differ.
-- The settings make the text the same for all connections, and its constants such as every connection reads them, as those of pg_dump do.
CREATE OR REPLACE FUNCTION stage.function_body(p_function pg_proc) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET "TimeZone" = 'UTC'
SET "DateStyle" = 'ISO, YMD' SET "IntervalStyle" = 'postgres' SET extra_float_digits = 3 SET bytea_output = 'hex' AS $$
  SELECT CASE WHEN p_function.prosqlbody IS NULL THEN p_function.prosrc
    ELSE regexp_replace(regexp_replace(pg_get_function_sqlbody(p_function.oid), '^RETURN\M', 'SELECT'), '^BEGIN ATOMIC(.*)END$', '\1') END
$$;
