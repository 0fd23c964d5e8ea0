-- Returns the meanings of the names in a statement on the caller's connection, under its own search_path and rights. Takes [{"schema": null
-- | text, "name": text, "only": boolean, "target": null | text}, ...]; returns an array in the same order. The settings force index scans,
-- see stage.definition_stamp.
CREATE OR REPLACE FUNCTION stage.resolve_relations(p_names jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'oid', c.oid::pg_catalog.int8,
      'kind', k.kind,
      'schema', s.nspname,
      'namespace', c.relnamespace::pg_catalog.int8,
      'standIn', stage.stand_in(c.oid, k.kind, coalesce((n.entry OPERATOR(pg_catalog.->>) 'only')::pg_catalog.bool, false), n.entry OPERATOR(pg_catalog.->>) 'target'),
      'origins', CASE WHEN stage.overlay_of(c.oid) IS NOT NULL OR c.relhassubclass THEN stage.result_origins(c.oid) END,
      -- the stamp of a plain table depends on nothing but what its function covers (see stage.stamped_relations)
      -- guard: of a table with children no stamp is remembered
      'stamp', CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'r' AND NOT c.relispartition AND NOT c.relhassubclass AND o.relation OPERATOR(pg_catalog.=) c.oid THEN (
        SELECT pg_catalog.concat(y.nspname, '.', p.proname) FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace y ON y.oid OPERATOR(pg_catalog.=) p.pronamespace
        WHERE p.proname OPERATOR(pg_catalog.=) pg_catalog.concat('stamp_', c.oid)::pg_catalog.name AND p.pronargs OPERATOR(pg_catalog.=) 0::pg_catalog.int2
          AND y.nspname OPERATOR(pg_catalog.=) pg_catalog.concat('stage_overlay_', c.relnamespace)::pg_catalog.name AND stage.is_internal_schema(y.oid)) END,
      'upsert', CASE WHEN stage.overlay_of(c.oid) IS NOT NULL THEN pg_catalog.jsonb_build_object(
        'schema', 'stage_upsert_' OPERATOR(pg_catalog.||) c.relnamespace::pg_catalog.text, 'name', c.relname) END,
      -- the load view of that name is the relation's own where its table exists, and the registry has the relation under that name
      'load', CASE WHEN o.relation OPERATOR(pg_catalog.=) c.oid AND o.table_name OPERATOR(pg_catalog.=) c.relname AND o.namespace OPERATOR(pg_catalog.=) c.relnamespace
        THEN stage.load_of(c.oid) END,
      'columns', (
        SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
          'name', a.attname, 'generated', a.attgenerated OPERATOR(pg_catalog.<>) '', 'always', a.attidentity OPERATOR(pg_catalog.=) 'a',
          'drawn', a.attidentity OPERATOR(pg_catalog.<>) '' OR a.atthasdef AND EXISTS (
            SELECT FROM pg_catalog.pg_attrdef d WHERE d.adrelid OPERATOR(pg_catalog.=) a.attrelid AND d.adnum OPERATOR(pg_catalog.=) a.attnum
              AND pg_catalog.pg_get_expr(d.adbin, d.adrelid) OPERATOR(pg_catalog.~~) '%nextval(%'),
          'domain', y.typtype OPERATOR(pg_catalog.=) 'd') ORDER BY a.attnum), '[]')
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid OPERATOR(pg_catalog.=) a.atttypid
        WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::pg_catalog."char"[])),
      'table', coalesce(t.target, c.oid)::pg_catalog.int8,
      'tableColumns', t.target_columns,
      'waitsForColumns', n.entry OPERATOR(pg_catalog.->>) 'target' IS NOT NULL AND EXISTS (
        SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid OPERATOR(pg_catalog.=) coalesce(t.target, c.oid) AND (g.tgattr::pg_catalog.text OPERATOR(pg_catalog.<>) ''
          -- these use the columns of the statement, too
          OR g.tgfoid OPERATOR(pg_catalog.=) ANY ('{3752,3753}'::pg_catalog.oid[]))),
      'hasPolicies', n.entry OPERATOR(pg_catalog.->>) 'target' IS NOT NULL AND EXISTS (
        SELECT FROM pg_catalog.pg_class w WHERE w.oid OPERATOR(pg_catalog.=) CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'v' THEN t.target ELSE c.oid END AND w.relrowsecurity),
      'writing', CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'v' AND NOT stage.is_internal_schema(s.oid) THEN stage.view_writing(c.oid) END,
      'merge', CASE WHEN c.relkind OPERATOR(pg_catalog.<>) 'v' AND stage.overlay_of(c.oid) IS NOT NULL AND pg_catalog.current_setting('server_version_num')::pg_catalog.int4 OPERATOR(pg_catalog.<) 170000
        THEN pg_catalog.concat('_stage_merge_', c.oid) END,
      -- a snapshot older than the overlay does not show the overlay's row in the registry; ON CONFLICT cannot mean the indexes of single
      -- partitions if these are not named
      'uniques', pg_catalog.jsonb_path_query_array(
        coalesce(CASE WHEN NOT c.relispartition THEN o.uniques END, CASE WHEN stage.overlay_of(c.oid) IS NOT NULL THEN stage.table_uniques(c.oid) END, '[]'),
        '$[*] ? (@.ofPartition != true)'),
      'key', CASE WHEN c.oid OPERATOR(pg_catalog.=) o.relation AND (c.relkind OPERATOR(pg_catalog.=) 'p' OR NOT EXISTS (
        SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent OPERATOR(pg_catalog.=) c.oid)) THEN coalesce(pg_catalog.to_jsonb(o.key_columns), '[]') ELSE '[]' END,
      'dependents', coalesce(CASE WHEN c.oid OPERATOR(pg_catalog.=) o.relation THEN o.dependents END,
        CASE WHEN c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::pg_catalog."char"[]) AND stage.overlay_of(c.oid) IS NOT NULL THEN stage.dependent_columns(c.oid) END),
      'code', c.oid IS NOT NULL AND stage.runs_code(CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid) ELSE c.oid END),
      'calls', CASE WHEN c.oid IS NOT NULL AND n.entry OPERATOR(pg_catalog.->>) 'target' IS NOT NULL
        THEN stage.definition_calls(coalesce(t.target, c.oid)) ELSE '[]' END,
      'parked', CASE WHEN stage.overlay_of(c.oid) IS NOT NULL OR c.relhassubclass
        THEN stage.has_parked(c.oid, (n.entry OPERATOR(pg_catalog.->>) 'only')::pg_catalog.bool IS TRUE) ELSE false END
    ) ORDER BY n.position), '[]')
  FROM pg_catalog.jsonb_array_elements(stage.where_bound(p_names)) WITH ORDINALITY n(entry, position)
  LEFT JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) stage.relation_named(n.entry)
  LEFT JOIN pg_catalog.pg_namespace s ON s.oid OPERATOR(pg_catalog.=) c.relnamespace
  CROSS JOIN LATERAL (SELECT CASE
    WHEN c.oid IS NULL THEN 'none'
    WHEN s.nspname OPERATOR(pg_catalog.=) ANY ('{pg_catalog,information_schema,pg_toast}'::pg_catalog.name[]) THEN 'system'
    WHEN stage.is_internal_schema(s.oid) THEN 'stage'
    WHEN c.relpersistence OPERATOR(pg_catalog.=) 't' THEN CASE WHEN c.relnamespace OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema() THEN 'temporary' ELSE 'other' END
    WHEN c.relkind OPERATOR(pg_catalog.=) 'r' THEN 'table'
    WHEN c.relkind OPERATOR(pg_catalog.=) 'p' THEN 'partitioned'
    WHEN c.relkind OPERATOR(pg_catalog.=) 'v' THEN 'view'
    WHEN c.relkind OPERATOR(pg_catalog.=) 'm' THEN 'materialized'
    WHEN c.relkind OPERATOR(pg_catalog.=) 'f' THEN 'foreign'
    WHEN c.relkind OPERATOR(pg_catalog.=) 'S' THEN 'sequence'
    ELSE 'other' END) k(kind)
  -- a staged view of a former partition does not count
  LEFT JOIN stage.staged_view t ON t.relation OPERATOR(pg_catalog.=) c.oid AND (c.relkind OPERATOR(pg_catalog.=) 'v' OR c.relispartition)
  LEFT JOIN stage.overlay o ON o.relation OPERATOR(pg_catalog.=) coalesce(t.target, c.oid));
END $$;
