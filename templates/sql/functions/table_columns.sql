-- Returns the live columns of a table as a JSON array, in order (see Column in src/model/table.ts). Facts that depend on the type
-- alone are computed once for each type, however many columns have it.
CREATE OR REPLACE FUNCTION stage.table_columns(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    WITH used AS MATERIALIZED (
      SELECT DISTINCT a.atttypid AS type FROM pg_attribute a WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped
    ), types AS MATERIALIZED (
      SELECT u.type AS of, b.type, b.modifier, t.typcollation AS collation,
        -- a name that means the same under any search_path, and has no length
        format('%I.%I', n.nspname, t.typname) AS name,
        t.typsend <> 0 AS is_sendable,
        CASE WHEN b.type <> u.type THEN format_type(u.type, NULL) END AS domain,
        -- composites may contain json later: attributes can be added
        (SELECT e.typtype = 'c' OR e.oid = 'json'::regtype OR stage.has_json_cast(e.oid) FROM pg_type e
         WHERE e.oid = (stage.base_type(coalesce(nullif(t.typelem, 0), t.oid), -1)).type) AS may_lack_json,
        stage.exact_text_kind(b.type) AS exact_text
      FROM used u CROSS JOIN LATERAL stage.base_type(u.type, -1) b
      JOIN pg_type t ON t.oid = b.type JOIN pg_namespace n ON n.oid = t.typnamespace
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'number', a.attnum,
        'name', a.attname,
        -- staged rows are not of the domain's type, so that constraints that are added to the domain are not checked for them
        'type', format_type(t.type, CASE WHEN t.domain IS NULL THEN a.atttypmod ELSE t.modifier END)
          || CASE WHEN a.attcollation NOT IN (0, t.collation) THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END,
        'baseType', t.name,
        'isSendable', t.is_sendable,
        'domain', t.domain,
        'mayLackJson', t.may_lack_json,
        'exactText', t.exact_text,
        'notNull', a.attnotnull,
        'generated', CASE WHEN a.attgenerated <> '' THEN jsonb_build_object(
            'expression', CASE WHEN o.cases IS NULL THEN pg_get_expr(d.adbin, d.adrelid)
                               ELSE format('CASE %s ELSE %s END', o.cases, pg_get_expr(d.adbin, d.adrelid)) END,
            'stored', a.attgenerated = 's',
            'path', stage.code_path('pg_attrdef', d.oid || coalesce(o.expressions, '{}')),
            'columns', CASE WHEN o.cases IS NOT NULL THEN o.columns ELSE (SELECT coalesce(jsonb_agg(u.attname ORDER BY u.attnum), '[]')
                          FROM pg_depend dp JOIN pg_attribute u ON u.attrelid = p_relation AND u.attnum = dp.refobjsubid
                         WHERE dp.classid = 'pg_attrdef'::regclass AND dp.objid = d.oid
                           AND dp.refclassid = 'pg_class'::regclass AND dp.refobjid = p_relation
                           AND u.attnum > 0 AND u.attnum <> a.attnum) END) END,
        'identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END,
        'default', CASE WHEN a.attgenerated = '' THEN coalesce(pg_get_expr(d.adbin, d.adrelid),
            (SELECT pg_get_expr(o.typdefaultbin, 0) FROM pg_type o WHERE o.oid = a.atttypid AND o.typtype = 'd')) END,
        'sequence', CASE
            -- partitions draw from the sequence of their table
            WHEN a.attidentity <> '' THEN pg_get_serial_sequence(coalesce(pg_partition_root(p_relation), p_relation)::regclass::text, a.attname)
            ELSE replace(substring(pg_get_expr(d.adbin, d.adrelid) FROM '^nextval\(''(.+)''::regclass\)$'), '''''', '''') END
      ) ORDER BY a.attnum), '[]')
    FROM pg_attribute a
    JOIN types t ON t.of = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    -- partitions may generate values other than those of the whole table
    LEFT JOIN LATERAL (
      SELECT string_agg(format('WHEN (%s) THEN %s', b.bounds, pg_get_expr(pd.adbin, pd.adrelid)), ' ' ORDER BY b.relation) AS cases,
        array_agg(pd.oid) AS expressions,
        (SELECT jsonb_agg(u.attname ORDER BY u.attnum) FROM pg_attribute u
          WHERE u.attrelid = p_relation AND u.attnum > 0 AND NOT u.attisdropped AND u.attgenerated = '') AS columns
      FROM stage.partition_bounds(p_relation) b
      JOIN pg_attribute pa ON pa.attrelid = b.relation AND pa.attname = a.attname AND pa.attgenerated <> ''
      JOIN pg_attrdef pd ON pd.adrelid = b.relation AND pd.adnum = pa.attnum
      WHERE a.attgenerated <> '' AND b.is_leaf AND pg_get_expr(pd.adbin, pd.adrelid) <> pg_get_expr(d.adbin, d.adrelid)) o ON true
    WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped
  );
END $$;
