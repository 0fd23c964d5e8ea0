-- Returns one end of a foreign key: the table, the columns in the order of the key, and the partition where the key belongs to one.
CREATE OR REPLACE FUNCTION stage.foreign_key_end(p_relation oid, p_columns int2[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object('oid', r.oid::bigint, 'namespaceOid', n.oid::bigint, 'schema', n.nspname, 'name', r.relname,
      'columns', (SELECT jsonb_agg(a.attname ORDER BY u.ord)
                    FROM unnest(p_columns) WITH ORDINALITY u(attnum, ord)
                    JOIN pg_attribute a ON a.attrelid = p_relation AND a.attnum = u.attnum),
      'partitions', CASE WHEN e.relispartition THEN jsonb_build_object(
        'oids', jsonb_build_array(e.oid::bigint), 'areLeaves', e.relkind <> 'p', 'columns', stage.partition_columns(r.oid)) END)
    FROM pg_class e
    JOIN pg_class r ON r.oid = CASE WHEN e.relispartition THEN pg_partition_root(e.oid) ELSE e.oid END
    JOIN pg_namespace n ON n.oid = r.relnamespace
    WHERE e.oid = p_relation
  );
END $$;
