-- Returns the definition of a view or partition as one JSON object (see StagedView in src/overlay/views/staged-view.ts); NULL for anything
-- else. Names in the definition are qualified, except those of pg_catalog.
CREATE OR REPLACE FUNCTION stage.staged_view_definition(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object(
      'oid', c.oid::bigint,
      'namespaceOid', n.oid::bigint,
      'schema', n.nspname,
      'name', c.relname,
      'columns', stage.table_columns(c.oid),
      'query', CASE WHEN c.relkind = 'v' THEN rtrim(pg_get_viewdef(c.oid), ';') END,
      'isBarrier', coalesce(o.options ->> 'security_barrier', 'false')::boolean,
      'isInvoker', coalesce(o.options ->> 'security_invoker', 'false')::boolean,
      'checkOption', o.options ->> 'check_option',
      'owner', c.relowner::bigint,
      'writing', CASE WHEN c.relkind = 'v' THEN stage.view_writing(c.oid) END,
      'partition', CASE WHEN c.relispartition THEN jsonb_build_object(
        'root', pg_partition_root(c.oid)::oid::bigint,
        'bounds', coalesce(pg_get_partition_constraintdef(c.oid), 'true'),
        'obstacle', stage.table_obstacle(c.oid, true)) END,
      'stamp', stage.staged_view_stamp(c.oid),
      'isStale', NOT EXISTS (SELECT FROM stage.staged_view t WHERE t.relation = c.oid) OR stage.is_stale(c.oid))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  CROSS JOIN LATERAL (SELECT jsonb_object_agg(option_name, option_value) AS options FROM pg_options_to_table(c.reloptions)) o
  WHERE c.oid = p_relation AND (c.relkind = 'v' OR c.relispartition)
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND NOT stage.is_internal_schema(n.oid)
$$;
