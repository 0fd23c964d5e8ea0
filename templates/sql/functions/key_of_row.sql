-- Returns the key of a table's row that is given as JSON, in the form of row_id. NULL when the table has no overlay any more.
CREATE OR REPLACE FUNCTION stage.key_of_row(p_relation oid, p_row jsonb) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT stage.key_of_image(o.key_columns, $2) FROM stage.overlay o WHERE o.relation = $1
$$;
REVOKE ALL ON FUNCTION stage.key_of_row(oid, jsonb) FROM PUBLIC;
