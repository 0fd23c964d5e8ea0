-- Returns everything that staging has to know about a table, as one JSON object (see Table in src/model/table.ts). NULL when it does not
-- exist.
-- This function and those that it calls are in PL/pgSQL, which keeps plans: planning them takes ten times as long as running them.
-- The settings force index scans, see stage.definition_stamp.
CREATE OR REPLACE FUNCTION stage.table_definition(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object(
        'oid', c.oid::bigint,
        'namespaceOid', n.oid::bigint,
        'schema', n.nspname,
        'name', c.relname,
        'kind', CASE c.relkind WHEN 'p' THEN 'partitioned' ELSE 'table' END,
        'columns', stage.table_columns(c.oid),
        'key', k.found -> 'key',
        'keyIndex', k.found -> 'keyIndex',
        'lookup', CASE WHEN t.is_inherited OR k.found ->> 'keyIndex' IS NULL THEN stage.table_lookup(c.oid) ELSE '[]' END,
        'isInherited', t.is_inherited,
        -- when a relation gets children, the cached facts about its name are out of date
        'hasChildren', c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = c.oid),
        'ancestorKeys', CASE WHEN t.is_inherited THEN stage.ancestor_keys(c.oid) ELSE '[]' END,
        'checks', stage.table_checks(c.oid),
        'uniques', stage.table_uniques(c.oid),
        'references', stage.foreign_keys(c.oid, 'child'),
        'referencedBy', stage.foreign_keys(c.oid, 'parent'),
        'partitions', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                                'oid', t.relation::bigint,
                                'bounds', t.bounds,
                                'isLeaf', t.is_leaf,
                                'notNull', (SELECT coalesce(jsonb_agg(a.attname ORDER BY a.attnum), '[]')
                                              FROM pg_attribute a JOIN pg_attribute r ON r.attrelid = c.oid AND r.attname = a.attname
                                             WHERE a.attrelid = t.relation AND t.is_leaf AND a.attnum > 0 AND a.attnotnull AND NOT r.attnotnull),
                                'key', (SELECT coalesce(jsonb_agg(a.attname ORDER BY u.ord), '[]')
                                          FROM pg_partitioned_table p CROSS JOIN unnest(p.partattrs::int2[]) WITH ORDINALITY u(num, ord)
                                          JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = u.num
                                         WHERE p.partrelid = t.relation AND p.partexprs IS NULL)
                              ) ORDER BY t.level DESC, t.relation), '[]')
                         FROM stage.partition_bounds(c.oid) t),
        'partitionColumns', stage.partition_columns(c.oid),
        'policies', stage.table_policies(c.oid),
        'triggers', stage.table_triggers(c.oid),
        'obstacle', stage.table_obstacle(c.oid))
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN LATERAL (
      SELECT c.relkind = 'r' AND NOT c.relispartition AND EXISTS (
        SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid OR i.inhparent = c.oid) AS is_inherited) t
    CROSS JOIN LATERAL (SELECT stage.table_key(c.oid) OFFSET 0) k (found)
    WHERE c.oid = p_relation
  );
END $$;
