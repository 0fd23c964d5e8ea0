-- Raises an error if tables that are to be emptied refer to each other in a cycle that an approval could not delete table by table: one of
-- the foreign keys is checked immediately, or has an action for deleted rows.
CREATE OR REPLACE FUNCTION stage.refuse_cycle(p_relations oid[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_table text;
  v_constraint text;
BEGIN
  WITH RECURSIVE reference AS (
    SELECT k.oid, r.child, r.parent, k.condeferrable AND k.confdeltype = 'a' AS waits
    FROM pg_constraint k
    -- rows of partitions are deleted through their partitioned table
    CROSS JOIN LATERAL (SELECT coalesce(pg_partition_root(k.conrelid), k.conrelid) AS child, coalesce(pg_partition_root(k.confrelid), k.confrelid) AS parent) r
    WHERE k.contype = 'f' AND k.conparentid = 0 AND r.child <> r.parent
      AND k.conrelid = ANY (p_relations) AND k.confrelid = ANY (p_relations)
  ), way(start, relation) AS (
    SELECT r.oid, r.parent FROM reference r WHERE NOT r.waits
    UNION SELECT w.start, r.parent FROM way w JOIN reference r ON r.child = w.relation
  )
  SELECT c.relname, k.conname INTO v_table, v_constraint
  FROM way w JOIN reference r ON r.oid = w.start AND r.child = w.relation JOIN pg_constraint k ON k.oid = r.oid JOIN pg_class c ON c.oid = k.conrelid LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'cannot stage TRUNCATE of "%", which is in a circle of foreign keys by "%"', v_table, v_constraint
      USING ERRCODE = 'feature_not_supported', HINT = 'Set the column of one of the foreign keys to null first, and DELETE the rows table by table.';
  END IF;
END $$;
