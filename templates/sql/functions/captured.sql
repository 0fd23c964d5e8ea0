-- Returns the value of a variable in a copy as SQL from which PostgreSQL restores it under any settings: a part of an ON CONFLICT clause.
-- The text is that of the type's output, not of a cast: a cast removes the blanks at the end of a char.
CREATE OR REPLACE FUNCTION stage.captured(p_value anyelement) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 3 SET "DateStyle" = 'ISO, YMD' SET "IntervalStyle" = iso_8601
SET bytea_output = hex AS $$
BEGIN
  -- guard: a value is text between quotes, whatever it contains
  RETURN format('(%L::%s)', p_value, format_type(pg_typeof(p_value), -1));
END $$;
