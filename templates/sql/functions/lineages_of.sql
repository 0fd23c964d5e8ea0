-- Returns the lineages of a session in one table whose keys are requested, each with the position of its key in p_keys; all of them where
-- p_keys is NULL. Keys are compared by their text, so that 7 and "7" mean the same row.
DROP FUNCTION IF EXISTS stage.lineages_of(uuid, oid, jsonb);
CREATE OR REPLACE FUNCTION stage.lineages_of(p_session uuid, p_relation oid, p_keys jsonb)
RETURNS TABLE (root bigint, operation text, row_id jsonb, is_own boolean, place bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT l.root, l.operation, l.row_id, l.is_own, k.place FROM stage_data.lineages_%s($1) l
    LEFT JOIN jsonb_array_elements($2) WITH ORDINALITY AS k (key, place) ON k.key #>> '{}' = l.row_id #>> '{}'
    WHERE $2 IS NULL OR k.place IS NOT NULL ORDER BY l.root
  $q$, p_relation) USING p_session, p_keys;
END $$;
REVOKE ALL ON FUNCTION stage.lineages_of(uuid, oid, jsonb) FROM PUBLIC;
