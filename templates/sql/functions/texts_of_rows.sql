-- Returns the exact texts of two rows, under the names that the rows have in the result; NULL if there are none. STABLE like the functions
-- that it calls, because PostgreSQL would not inline it otherwise.
CREATE OR REPLACE FUNCTION stage.texts_of_rows(p_name text, p_texts jsonb, p_other_name text, p_other_texts jsonb) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN $2 IS NOT NULL OR $4 IS NOT NULL
    THEN pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object($1, $2, $3, $4)) END
$$;
