-- The key of a table's row, given as JSON, in the form of row_id. NULL when the table has no overlay any more.
CREATE OR REPLACE FUNCTION stage.key_of_row(p_relation oid, p_row jsonb) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN count(*) = 1 THEN jsonb_agg(v.value) -> 0 ELSE jsonb_object_agg(k.name, v.value) END
  FROM stage.overlay o CROSS JOIN unnest(o.key_columns) AS k (name)
  CROSS JOIN LATERAL (
    SELECT CASE jsonb_typeof($2 -> k.name) WHEN 'number' THEN stage.key_value(($2 ->> k.name)::numeric)
                                           ELSE stage.key_value($2 ->> k.name) END AS value) v
  WHERE o.relation = $1
  HAVING count(*) > 0
$$;
REVOKE ALL ON FUNCTION stage.key_of_row(oid, jsonb) FROM PUBLIC;
