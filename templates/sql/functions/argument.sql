-- Returns a statement's parameter as the text of a literal that means the same under any settings of the client.
CREATE OR REPLACE FUNCTION stage.argument(p_value anyelement) RETURNS text
LANGUAGE plpgsql STABLE
SET datestyle = 'ISO, MDY' SET intervalstyle = 'iso_8601' SET extra_float_digits = 3 AS $$
BEGIN
  RETURN p_value::pg_catalog.text;
END $$;
