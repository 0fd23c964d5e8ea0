-- Returns the exact texts of a row's values by their columns, without those that are NULL; NULL if there are none.
CREATE OR REPLACE FUNCTION stage.texts_of_row(p_columns text[], p_texts text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN pg_catalog.array_length(pg_catalog.array_remove($2, NULL), 1) IS NOT NULL
    THEN pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_object($1, $2)) END
$$;
