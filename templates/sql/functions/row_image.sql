-- Returns a row as to_jsonb does. A value that jsonb cannot represent, or whose cast to json fails, is shown as its text.
CREATE OR REPLACE FUNCTION stage.row_image(p_row anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN pg_catalog.to_jsonb(p_row);
-- guard: no image of a row fails
EXCEPTION WHEN OTHERS THEN
  RETURN stage.image_by_values(p_row);
END $$;
REVOKE ALL ON FUNCTION stage.row_image(anyelement) FROM PUBLIC;
