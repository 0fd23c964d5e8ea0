-- A row as a text from which PostgreSQL restores it, whatever settings that is done under: what it becomes on its way to what stages it.
CREATE OR REPLACE FUNCTION stage.exact_row(p_row anyelement) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 3 SET "DateStyle" = 'ISO, YMD' SET "IntervalStyle" = iso_8601
SET bytea_output = hex AS $$
BEGIN
  RETURN p_row::text;
END $$;
