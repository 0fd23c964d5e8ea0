-- Returns the SQL expression that identifies a row, made from an expression of its image: the values of its key, or the whole image.
CREATE OR REPLACE FUNCTION stage.key_expression(p_columns text[], p_image text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE count(*) WHEN 0 THEN $2 ELSE format('jsonb_build_array(%s)', string_agg(format('%s -> %L', $2, c.name), ', ' ORDER BY c.number)) END
  FROM unnest($1) WITH ORDINALITY AS c (name, number)
$$;
REVOKE ALL ON FUNCTION stage.key_expression(text[], text) FROM PUBLIC;
