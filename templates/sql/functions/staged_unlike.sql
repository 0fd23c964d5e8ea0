-- Returns the staged values of the columns in which a row that landed differs from the staged one, {column: value}; NULL if it differs in
-- none. p_made is the row as staged, p_before the one that it was staged over, p_old and p_new production's row before and after. A column
-- that neither the staged change nor production's triggers changed does not differ: production may have changed it since.
CREATE OR REPLACE FUNCTION stage.staged_unlike(p_made jsonb, p_before jsonb, p_old jsonb, p_new jsonb) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_object_agg(m.key, m.value) FROM jsonb_each(p_made) m
  WHERE (p_new -> m.key)::text IS DISTINCT FROM m.value::text
    -- guard: a change of production during a session is no difference of a trigger
    AND NOT coalesce((p_before -> m.key)::text = m.value::text AND (p_old -> m.key)::text = (p_new -> m.key)::text, false)
$$;
REVOKE ALL ON FUNCTION stage.staged_unlike(jsonb, jsonb, jsonb, jsonb) FROM PUBLIC;
