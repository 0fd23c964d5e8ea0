-- Returns the columns of a partitioned table that decide which partition takes a row, as a JSON array of names: its own partition columns
-- and those by which its partitions are partitioned. PostgreSQL records that they depend on the table, also those in expressions.
CREATE OR REPLACE FUNCTION stage.partition_columns(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(a.attname ORDER BY a.attnum), '[]')
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attrelid = p_relation AND c.relkind = 'p' AND a.attnum > 0 AND NOT a.attisdropped AND a.attname IN (
      SELECT k.attname FROM pg_partition_tree(p_relation) t
      JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = t.relid AND d.objsubid > 0
        AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.relid AND d.refobjsubid = 0 AND d.deptype = 'i'
      JOIN pg_attribute k ON k.attrelid = t.relid AND k.attnum = d.objsubid
      WHERE NOT t.isleaf)
  );
END $$;
