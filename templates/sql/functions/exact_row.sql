-- Returns a row as text from which PostgreSQL restores it under any settings. The triggers that fire pass rows in that form to the one that
-- stages them.
CREATE OR REPLACE FUNCTION stage.exact_row(p_row anyelement) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 3 SET "DateStyle" = 'ISO, YMD' SET "IntervalStyle" = iso_8601
SET bytea_output = hex AS $$
BEGIN
  RETURN p_row::text;
END $$;
