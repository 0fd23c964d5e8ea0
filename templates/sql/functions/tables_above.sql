-- Returns a table and those above it, partitioned or inherited from: their OIDs and their names. The table itself is the first.
CREATE OR REPLACE FUNCTION stage.tables_above(p_relation oid, OUT lineage oid[], OUT names jsonb)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE above (oid) AS (
    SELECT p_relation
    UNION
    -- guard: a rule for a table holds for its children
    SELECT i.inhparent FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid
  )
  SELECT array_agg(a.oid ORDER BY a.oid <> p_relation),
    jsonb_agg(jsonb_build_object('schema', n.nspname, 'name', c.relname) ORDER BY a.oid <> p_relation)
  FROM above a JOIN pg_class c ON c.oid = a.oid JOIN pg_namespace n ON n.oid = c.relnamespace
$$;
REVOKE ALL ON FUNCTION stage.tables_above(oid) FROM PUBLIC;
