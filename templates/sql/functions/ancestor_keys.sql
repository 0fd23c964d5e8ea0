-- Returns the keys of the tables that a table inherits from, where they differ from its own key, as a JSON array of arrays of names.
CREATE OR REPLACE FUNCTION stage.ancestor_keys(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE tree (relation) AS (
    SELECT p_relation
    UNION
    SELECT i.inhparent FROM tree t JOIN pg_inherits i ON i.inhrelid = t.relation
  ), keys (relation, names) AS (
    SELECT t.relation, (SELECT jsonb_agg(k ->> 'name') FROM jsonb_array_elements(stage.table_key(t.relation) -> 'key') k) FROM tree t
  )
  SELECT coalesce(jsonb_agg(DISTINCT a.names), '[]')
  FROM keys a JOIN keys o ON o.relation = p_relation AND a.names IS DISTINCT FROM o.names
  WHERE a.names IS NOT NULL
$$;
