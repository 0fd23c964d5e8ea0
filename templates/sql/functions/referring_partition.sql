-- Of the foreign keys of several partitions, the partition with the one that a row of one of them falls under, for errors that tell of it.
CREATE OR REPLACE FUNCTION stage.referring_partition(p_constraints oid[], p_leaf oid) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT k.conrelid FROM pg_constraint k
  WHERE k.oid = ANY (p_constraints) AND k.conrelid IN (SELECT a.relid FROM pg_partition_ancestors(p_leaf) a)
$$;
