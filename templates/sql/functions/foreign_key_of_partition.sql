-- Returns the name of a foreign key between two tables where one of them is a partition: PostgreSQL has a constraint for each.
-- p_constraints: the constraint that was declared, or those of several partitions. p_name: the result where there is no such constraint.
DROP FUNCTION IF EXISTS stage.foreign_key_of_partition(oid, name, oid, oid);
CREATE OR REPLACE FUNCTION stage.foreign_key_of_partition(p_constraints oid[], p_name name, p_child oid, p_parent oid) RETURNS name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE parts AS (
    SELECT k.oid, k.conname, k.conrelid, k.confrelid FROM pg_constraint k WHERE k.oid = ANY (p_constraints)
    UNION ALL
    SELECT k.oid, k.conname, k.conrelid, k.confrelid FROM pg_constraint k JOIN parts p ON k.conparentid = p.oid WHERE k.contype = 'f'
  )
  SELECT coalesce((SELECT p.conname FROM parts p WHERE p.conrelid = p_child AND p.confrelid = p_parent LIMIT 1), p_name)
$$;
