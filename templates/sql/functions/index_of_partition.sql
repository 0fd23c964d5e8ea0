-- The name that an index of a partitioned table has in one of its partitions.
CREATE OR REPLACE FUNCTION stage.index_of_partition(p_index oid, p_partition oid) RETURNS name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.relname FROM pg_partition_tree(p_index) t JOIN pg_index x ON x.indexrelid = t.relid JOIN pg_class c ON c.oid = t.relid
  WHERE x.indrelid = p_partition
$$;
