-- Returns whether the copies of a table's triggers write to a table whose rows may run user code, also through the triggers of the tables
-- that they write to. The overlays and their copies must be there.
CREATE OR REPLACE FUNCTION stage.fires_code(p_relation oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH RECURSIVE written(relation) AS (
    SELECT p_relation
    UNION SELECT stage.relation_in(n.name, o.trigger_path)
    FROM written w JOIN stage.overlay o ON o.relation = w.relation
    CROSS JOIN LATERAL jsonb_array_elements(o.trigger_uses -> 'written') n (name))
  SELECT EXISTS (SELECT FROM written w WHERE w.relation <> p_relation AND stage.runs_code(w.relation))
$$;
