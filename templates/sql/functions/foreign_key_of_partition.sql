-- The name that a foreign key between two tables has where one of them is a partition: PostgreSQL has a constraint for each.
CREATE OR REPLACE FUNCTION stage.foreign_key_of_partition(p_table oid, p_name name, p_child oid, p_parent oid) RETURNS name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE parts AS (
    SELECT k.oid, k.conname, k.conrelid, k.confrelid FROM pg_constraint k
    WHERE k.conrelid = p_table AND k.conname = p_name AND k.contype = 'f'
    UNION ALL
    SELECT k.oid, k.conname, k.conrelid, k.confrelid FROM pg_constraint k JOIN parts p ON k.conparentid = p.oid WHERE k.contype = 'f'
  )
  SELECT coalesce((SELECT p.conname FROM parts p WHERE p.conrelid = p_child AND p.confrelid = p_parent LIMIT 1), p_name)
$$;
