-- Everything staging has to know of a table, as one JSON object (see Table in src/model/table.ts). NULL when it does not exist.
CREATE OR REPLACE FUNCTION stage.table_definition(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT jsonb_build_object(
      'oid', c.oid::bigint,
      'namespaceOid', n.oid::bigint,
      'schema', n.nspname,
      'name', c.relname,
      'kind', CASE c.relkind WHEN 'p' THEN 'partitioned' ELSE 'table' END,
      'columns', stage.table_columns(c.oid),
      'key', stage.table_key(c.oid) -> 'key',
      'keyIndex', stage.table_key(c.oid) -> 'keyIndex',
      'lookup', CASE WHEN stage.table_key(c.oid) ->> 'keyIndex' IS NULL THEN stage.table_lookup(c.oid) ELSE '[]' END,
      'checks', stage.table_checks(c.oid),
      'uniques', stage.table_uniques(c.oid),
      'references', stage.foreign_keys(c.oid, 'child'),
      'referencedBy', stage.foreign_keys(c.oid, 'parent'),
      -- a default partition that stands alone has no bounds
      'partitionBounds', (SELECT coalesce(jsonb_agg(coalesce(pg_get_partition_constraintdef(t.relid), 'true') ORDER BY t.relid::oid), '[]')
                            FROM pg_partition_tree(c.oid) t WHERE t.isleaf AND c.relkind = 'p'),
      'policies', stage.table_policies(c.oid),
      'obstacle', stage.table_obstacle(c.oid))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid = p_relation
$$;
