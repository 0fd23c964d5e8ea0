-- What the names of a statement stand for on the caller's connection, under its own search_path and rights.
-- Takes [{"schema": null | text, "name": text}, ...]; gives an array in the same order.
CREATE OR REPLACE FUNCTION stage.resolve_relations(p_names jsonb) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'oid', c.oid::pg_catalog.int8,
      'kind', CASE
        WHEN c.oid IS NULL THEN 'none'
        WHEN s.nspname IN ('pg_catalog', 'information_schema', 'pg_toast') THEN 'system'
        WHEN stage.is_own_schema(s.oid) THEN 'stage'
        WHEN c.relpersistence = 't' THEN 'temporary'
        WHEN c.relkind = 'r' THEN 'table'
        WHEN c.relkind = 'p' THEN 'partitioned'
        WHEN c.relkind = 'v' THEN 'view'
        WHEN c.relkind = 'm' THEN 'materialized'
        WHEN c.relkind = 'f' THEN 'foreign'
        WHEN c.relkind = 'S' THEN 'sequence'
        ELSE 'other' END,
      'schema', s.nspname,
      'isTwin', c.relkind = 'v' OR c.relispartition,
      'overlay', CASE WHEN stage.overlay_of(c.oid) IS NOT NULL AND
        -- a twin may be left of what is no partition any more, an overlay of what has become one
        CASE WHEN c.relkind = 'v' OR c.relispartition THEN t.relation IS NOT NULL ELSE o.relation IS NOT NULL OR t.relation IS NULL END THEN pg_catalog.jsonb_build_object(
        'schema', 'stage_overlay_' || c.relnamespace::pg_catalog.text, 'name', c.relname) END,
      'signature', stage.signature_of(c.oid),
      'upsert', CASE WHEN stage.overlay_of(c.oid) IS NOT NULL THEN pg_catalog.jsonb_build_object(
        'schema', 'stage_upsert_' || c.relnamespace::pg_catalog.text, 'name', c.relname) END,
      'tree', CASE WHEN c.relkind = 'r' AND c.relhassubclass THEN stage.tree_state(c.oid) END,
      'columns', (
        SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
          'name', a.attname, 'generated', a.attgenerated <> '', 'always', a.attidentity = 'a',
          'domain', y.typtype = 'd') ORDER BY a.attnum), '[]')
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')),
      'table', coalesce(t.target, c.oid)::pg_catalog.int8,
      'tableColumns', t.target_columns,
      'writing', CASE WHEN c.relkind = 'v' AND NOT stage.is_own_schema(s.oid) THEN stage.view_writing(c.oid) END,
      'merge', CASE WHEN c.relkind <> 'v' AND stage.overlay_of(c.oid) IS NOT NULL AND pg_catalog.current_setting('server_version_num')::pg_catalog.int4 < 170000
        THEN pg_catalog.concat('_stage_merge_', c.oid) END,
      -- a snapshot older than the overlay does not show what was noted of it
      -- partitions' own are nothing that ON CONFLICT could mean
      'uniques', pg_catalog.jsonb_path_query_array(
        coalesce(o.uniques, CASE WHEN stage.overlay_of(c.oid) IS NOT NULL THEN stage.table_uniques(c.oid) END, '[]'),
        '$[*] ? (@.ofPartition != true)'),
      'key', CASE WHEN c.oid = o.relation THEN coalesce(pg_catalog.to_jsonb(o.key_columns), '[]') ELSE '[]' END,
      'dependents', coalesce(CASE WHEN c.oid = o.relation THEN o.dependents END,
        CASE WHEN c.relkind IN ('r', 'p') AND stage.overlay_of(c.oid) IS NOT NULL THEN stage.dependent_columns(c.oid) END),
      'writable', coalesce(o.writable, false),
      'code', c.oid IS NOT NULL AND stage.runs_code(c.oid),
      'parked', CASE WHEN o.parked THEN stage.has_parked(o.relation) ELSE false END,
      'stale', CASE WHEN c.relkind = 'v' OR c.relispartition THEN stage.twin_is_stale(c.oid)
                    ELSE o.relation IS NOT NULL AND (o.stamp IS DISTINCT FROM stage.table_stamp(c.oid)
                      OR c.relkind = 'p' AND o.partitions_stamp IS DISTINCT FROM stage.partitions_stamp(c.oid)) END
    ) ORDER BY n.position), '[]')
  FROM pg_catalog.jsonb_array_elements(p_names) WITH ORDINALITY n(entry, position)
  LEFT JOIN pg_catalog.pg_class c ON c.oid = stage.relation_named(n.entry)
  LEFT JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
  LEFT JOIN stage.twin t ON t.relation = c.oid
  LEFT JOIN stage.overlay o ON o.relation = coalesce(t.target, c.oid)
$$;
