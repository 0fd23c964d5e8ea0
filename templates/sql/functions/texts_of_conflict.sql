-- Returns the exact texts of the three rows of a conflict, only those of its column where it is about one; NULL if there are none.
CREATE OR REPLACE FUNCTION stage.texts_of_conflict(p_field text, p_base jsonb, p_new jsonb, p_current jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_object_agg(r.name, r.texts) FROM (
    SELECT v.name, CASE WHEN $1 IS NULL THEN v.texts WHEN v.texts ? $1 THEN jsonb_build_object($1, v.texts -> $1) END AS texts
    FROM (VALUES ('session_base', $2), ('session_new', $3), ('production_current', $4)) v (name, texts)) r
  WHERE r.texts IS NOT NULL
$$;
