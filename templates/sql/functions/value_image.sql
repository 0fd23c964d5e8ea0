-- Returns a value as to_jsonb does. A value that jsonb cannot represent (json with \u0000, with numbers beyond numeric), or whose cast to
-- json fails, is shown as its text: by the output function of its type, because a cast to text may be user-defined.
CREATE OR REPLACE FUNCTION stage.value_image(p_value anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN pg_catalog.to_jsonb(p_value);
-- guard: no image of a value fails
EXCEPTION WHEN OTHERS THEN
  RETURN pg_catalog.to_jsonb(pg_catalog.format('%s', p_value));
END $$;
