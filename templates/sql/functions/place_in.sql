-- Returns the partition whose triggers fire for a new row of a statement that names a partition: this one itself if it stores rows, else the
-- one below it that takes the row; NULL if none does. p_place: the partition of the whole table that takes the row.
CREATE OR REPLACE FUNCTION stage.place_in(p_named oid, p_place oid) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN c.relkind <> 'p' THEN p_named WHEN p_named IN (SELECT pg_partition_ancestors(p_place)) THEN p_place END
  FROM pg_class c WHERE c.oid = p_named
$$;
