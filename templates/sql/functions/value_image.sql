-- A value as to_jsonb gives it. What jsonb cannot hold (json with \u0000, with numbers beyond numeric), and what a cast to json refuses,
-- is shown as its text: by its type's output, for a cast to text may be somebody's own.
CREATE OR REPLACE FUNCTION stage.value_image(p_value anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN pg_catalog.to_jsonb(p_value);
-- guard: no image of a value fails
EXCEPTION WHEN OTHERS THEN
  RETURN pg_catalog.to_jsonb(pg_catalog.format('%s', p_value));
END $$;
