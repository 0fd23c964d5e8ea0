-- The live columns of a table as a JSON array, in order (see Column in src/model/table.ts).
CREATE OR REPLACE FUNCTION stage.table_columns(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object(
      'number', a.attnum,
      'name', a.attname,
      -- staged rows are no rows of the domain: constraints that are added to it must not find them
      'type', format_type(b.type, b.modifier)
        || CASE WHEN a.attcollation NOT IN (0, t.typcollation) THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END,
      -- in words that mean the same under any search_path, and say nothing of a length
      'baseType', (SELECT format('%I.%I', n.nspname, t.typname) FROM pg_namespace n WHERE n.oid = t.typnamespace),
      'isSendable', t.typsend <> 0,
      'domain', CASE WHEN b.type <> a.atttypid THEN format_type(a.atttypid, NULL) END,
      -- composites may hold json, whatever they hold today: attributes can be added
      'mayLackJson', (SELECT e.typtype = 'c' OR e.oid = 'json'::regtype OR stage.has_json_cast(e.oid) FROM pg_type e
                     WHERE e.oid = (stage.base_type(coalesce(nullif(t.typelem, 0), t.oid), -1)).type),
      'exactText', stage.exact_text_kind(b.type),
      'notNull', a.attnotnull,
      'generated', CASE WHEN a.attgenerated <> '' THEN jsonb_build_object(
          'expression', CASE WHEN o.cases IS NULL THEN pg_get_expr(d.adbin, d.adrelid)
                             ELSE format('CASE %s ELSE %s END', o.cases, pg_get_expr(d.adbin, d.adrelid)) END,
          'stored', a.attgenerated = 's',
          'columns', CASE WHEN o.cases IS NOT NULL THEN o.columns ELSE (SELECT coalesce(jsonb_agg(u.attname ORDER BY u.attnum), '[]')
                        FROM pg_depend dp JOIN pg_attribute u ON u.attrelid = p_relation AND u.attnum = dp.refobjsubid
                       WHERE dp.classid = 'pg_attrdef'::regclass AND dp.objid = d.oid
                         AND dp.refclassid = 'pg_class'::regclass AND dp.refobjid = p_relation
                         AND u.attnum > 0 AND u.attnum <> a.attnum) END) END,
      'identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END,
      'default', CASE WHEN a.attgenerated = '' THEN coalesce(pg_get_expr(d.adbin, d.adrelid),
          (SELECT pg_get_expr(o.typdefaultbin, 0) FROM pg_type o WHERE o.oid = a.atttypid AND o.typtype = 'd')) END,
      'sequence', CASE
          WHEN a.attidentity <> '' THEN pg_get_serial_sequence(p_relation::regclass::text, a.attname)
          ELSE substring(pg_get_expr(d.adbin, d.adrelid) FROM '^nextval\(''(.+)''::regclass\)$') END
    ) ORDER BY a.attnum), '[]')
  FROM pg_attribute a
  CROSS JOIN LATERAL stage.base_type(a.atttypid, a.atttypmod) b
  JOIN pg_type t ON t.oid = b.type
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  -- partitions may generate other values than the whole table
  LEFT JOIN LATERAL (
    SELECT string_agg(format('WHEN (%s) THEN %s', b.bounds, pg_get_expr(pd.adbin, pd.adrelid)), ' ' ORDER BY b.relation) AS cases,
      (SELECT jsonb_agg(u.attname ORDER BY u.attnum) FROM pg_attribute u
        WHERE u.attrelid = p_relation AND u.attnum > 0 AND NOT u.attisdropped AND u.attgenerated = '') AS columns
    FROM stage.partition_bounds(p_relation) b
    JOIN pg_attribute pa ON pa.attrelid = b.relation AND pa.attname = a.attname AND pa.attgenerated <> ''
    JOIN pg_attrdef pd ON pd.adrelid = b.relation AND pd.adnum = pa.attnum
    WHERE b.is_leaf AND pg_get_expr(pd.adbin, pd.adrelid) <> pg_get_expr(d.adbin, d.adrelid)) o ON a.attgenerated <> ''
  WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped
$$;
