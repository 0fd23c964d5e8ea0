-- Returns the partitions of a table, also those of partitions, each with the condition for its rows; none for a table without partitions.
CREATE OR REPLACE FUNCTION stage.partition_bounds(p_relation oid, OUT relation oid, OUT is_leaf boolean, OUT level int, OUT bounds text)
RETURNS SETOF record LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  -- a default partition that stands alone has no bounds
  SELECT t.relid, t.isleaf, t.level, coalesce(pg_get_partition_constraintdef(t.relid), 'true')
  FROM pg_class c CROSS JOIN LATERAL pg_partition_tree(c.oid) t
  WHERE c.oid = p_relation AND c.relkind = 'p'
$$;
