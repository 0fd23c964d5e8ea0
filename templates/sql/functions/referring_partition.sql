-- Returns, for a foreign key of several partitions, the partition whose constraint applies to the rows of a leaf, for error messages.
CREATE OR REPLACE FUNCTION stage.referring_partition(p_constraints oid[], p_leaf oid) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT k.conrelid FROM pg_constraint k
  WHERE k.oid = ANY (p_constraints) AND k.conrelid IN (SELECT a.relid FROM pg_partition_ancestors(p_leaf) a)
$$;
