-- Returns the key of a row that is given as JSON, in the form of row_id. NULL if there is no key.
CREATE OR REPLACE FUNCTION stage.key_of_image(p_columns text[], p_row jsonb) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN count(*) = 1 THEN jsonb_agg(v.value) -> 0 ELSE jsonb_object_agg(k.name, v.value) END
  FROM unnest($1) AS k (name)
  CROSS JOIN LATERAL (
    SELECT CASE jsonb_typeof($2 -> k.name) WHEN 'number' THEN stage.key_value(($2 ->> k.name)::numeric)
                                           ELSE stage.key_value($2 ->> k.name) END AS value) v
  HAVING count(*) > 0
$$;
REVOKE ALL ON FUNCTION stage.key_of_image(text[], jsonb) FROM PUBLIC;
