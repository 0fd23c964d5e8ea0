-- One end of a foreign key: the table and the columns of a key, in the key's order.
CREATE OR REPLACE FUNCTION stage.foreign_key_end(p_relation oid, p_columns int2[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object('oid', r.oid::bigint, 'namespaceOid', n.oid::bigint, 'schema', n.nspname, 'name', r.relname,
    'columns', (SELECT jsonb_agg(a.attname ORDER BY u.ord)
                  FROM unnest(p_columns) WITH ORDINALITY u(attnum, ord)
                  JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = u.attnum))
  FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace
  WHERE r.oid = p_relation
$$;
