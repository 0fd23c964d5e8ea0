-- Returns a row in the form of to_jsonb, converted value by value.
CREATE OR REPLACE FUNCTION stage.image_by_values(p_row anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_members text;
  v_image jsonb;
BEGIN
  SELECT string_agg(format('(%L, stage.value_image(($1).%I))', a.attname, a.attname), ', ') INTO v_members
  FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
  WHERE t.oid = pg_typeof(p_row)::oid AND a.attnum > 0 AND NOT a.attisdropped;
  EXECUTE concat('SELECT jsonb_object_agg(c.name, c.image) FROM (VALUES ', v_members, ') c (name, image)') INTO v_image USING p_row;
  RETURN v_image;
END $$;
REVOKE ALL ON FUNCTION stage.image_by_values(anyelement) FROM PUBLIC;
