-- A row as to_jsonb gives it. If jsonb cannot hold one of its values, or a cast to json fails, that value is shown as its text.
CREATE OR REPLACE FUNCTION stage.row_image(p_row anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN pg_catalog.to_jsonb(p_row);
-- guard: no image of a row fails
EXCEPTION WHEN OTHERS THEN
  RETURN stage.image_by_values(p_row);
END $$;
REVOKE ALL ON FUNCTION stage.row_image(anyelement) FROM PUBLIC;
