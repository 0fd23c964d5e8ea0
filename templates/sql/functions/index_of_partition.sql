-- Returns the name that an index of a partitioned table has in one of its partitions; its own name if the index belongs to that partition
-- alone.
CREATE OR REPLACE FUNCTION stage.index_of_partition(p_index oid, p_partition oid) RETURNS name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.relname FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
  WHERE x.indrelid = p_partition AND (x.indexrelid = p_index OR x.indexrelid IN (SELECT relid FROM pg_partition_tree(p_index)))
$$;
