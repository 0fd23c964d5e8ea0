-- A value as to_jsonb gives it. What jsonb cannot hold (json with \u0000, with numbers beyond numeric) is shown as its text.
CREATE OR REPLACE FUNCTION stage.value_image(p_value anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN pg_catalog.to_jsonb(p_value);
EXCEPTION WHEN data_exception THEN
  RETURN pg_catalog.to_jsonb(p_value::pg_catalog.text);
END $$;
