-- Returns a row of any type as text, as stage.exact_row does. NULL for no row. A plan would keep the type of the first row.
CREATE OR REPLACE FUNCTION stage.exact_record(p_row record) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 3 SET "DateStyle" = 'ISO, YMD' SET "IntervalStyle" = iso_8601
SET bytea_output = hex AS $$
BEGIN
  RETURN p_row;
END $$;
REVOKE ALL ON FUNCTION stage.exact_record(record) FROM PUBLIC;
