-- A row as to_jsonb gives it. If jsonb cannot hold one of its values, that value is shown as its text.
CREATE OR REPLACE FUNCTION stage.row_image(p_row anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_members text;
  v_image jsonb;
BEGIN
  RETURN pg_catalog.to_jsonb(p_row);
EXCEPTION WHEN data_exception THEN
  SELECT pg_catalog.string_agg(pg_catalog.format('(%L, stage.value_image(($1).%I))', a.attname, a.attname), ', ') INTO v_members
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) t.typrelid
  WHERE t.oid OPERATOR(pg_catalog.=) pg_catalog.pg_typeof(p_row)::pg_catalog.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped;
  EXECUTE pg_catalog.concat('SELECT pg_catalog.jsonb_object_agg(c.name, c.image) FROM (VALUES ', v_members, ') c (name, image)')
  INTO v_image USING p_row;
  RETURN v_image;
END $$;
REVOKE ALL ON FUNCTION stage.row_image(anyelement) FROM PUBLIC;
