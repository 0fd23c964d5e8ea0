-- Returns the unique indexes and exclusion constraints of a table as a JSON array, in the order in which PostgreSQL checks them. Those that
-- a partition has of its own are partial, over its rows.
CREATE OR REPLACE FUNCTION stage.table_uniques(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'name', ic.relname,
        'oid', x.indexrelid::bigint,
        'kind', CASE WHEN x.indisexclusion THEN 'exclusion' ELSE 'unique' END,
        'withoutOverlaps', x.indisunique AND x.indisexclusion,
        'elements', (
          SELECT jsonb_agg(jsonb_build_object(
              'column', a.attname,
              'definition', CASE WHEN a.attname IS NULL THEN '(' || pg_get_indexdef(x.indexrelid, g, true) || ')'
                                 ELSE pg_get_indexdef(x.indexrelid, g, true) END,
              -- an index may store a type other than that of the expression
              'type', (SELECT format_type(CASE WHEN oc.opckeytype IN (0, oc.opcintype) OR it.typtype = 'p' THEN e.atttypid ELSE oc.opcintype END, NULL)
                         FROM pg_attribute e, pg_opclass oc JOIN pg_type it ON it.oid = oc.opcintype
                        WHERE e.attrelid = x.indexrelid AND e.attnum = g AND oc.oid = x.indclass[g - 1]),
              'operator', stage.index_operator(x.indexrelid, g)) ORDER BY g)
          FROM generate_series(1, x.indnkeyatts) g
          LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[g - 1] AND a.attnum > 0),
        'columns', (
          SELECT coalesce(jsonb_agg(a.attname ORDER BY a.attnum), '[]') FROM pg_attribute a
          WHERE a.attrelid = x.indrelid AND a.attnum > 0 AND NOT a.attisdropped
            AND (r.bounds IS NOT NULL OR a.attnum = ANY (x.indkey[0:x.indnkeyatts - 1]) OR EXISTS (
              SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = x.indexrelid
                AND d.refclassid = 'pg_class'::regclass AND d.refobjid = x.indrelid AND d.refobjsubid = a.attnum
                AND NOT a.attnum = ANY (x.indkey[x.indnkeyatts:])))),
        'predicate', nullif(concat_ws(' AND ', '(' || r.bounds || ')', pg_get_expr(x.indpred, x.indrelid)), ''),
        'ofPartition', r.bounds IS NOT NULL,
        'isConstraint', k.conindid IS NOT NULL,
        'nullsNotDistinct', x.indnullsnotdistinct,
        'timing', CASE WHEN coalesce(k.condeferred, false) THEN 'deferred'
                       WHEN x.indimmediate THEN 'immediate' ELSE 'deferrable' END,
        'indexDefinition', pg_get_indexdef(x.indexrelid)
          || CASE WHEN r.bounds IS NULL THEN '' WHEN x.indpred IS NULL THEN ' WHERE (' || r.bounds || ')' ELSE ' AND (' || r.bounds || ')' END,
        'method', am.amname
      ) ORDER BY x.indexrelid), '[]')
    FROM (SELECT p_relation AS relation, NULL AS bounds UNION ALL
          SELECT b.relation, b.bounds FROM stage.partition_bounds(p_relation) b WHERE b.level > 0) r
    JOIN pg_index x ON x.indrelid = r.relation
    JOIN pg_class ic ON ic.oid = x.indexrelid
    JOIN pg_am am ON am.oid = ic.relam
    -- there is no index on conindid
    LEFT JOIN pg_constraint k ON k.conrelid = x.indrelid AND k.conindid = x.indexrelid AND k.contype IN ('p', 'u', 'x')
    -- an index ON ONLY a partitioned table is not valid, and prevents nothing, until each partition has one that is attached to it
    WHERE (r.bounds IS NULL AND (x.indisvalid OR x.indisprimary OR ic.relkind <> 'I') OR r.bounds IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_inherits h JOIN pg_index v ON v.indexrelid = h.inhparent AND (v.indisvalid OR v.indisprimary) WHERE h.inhrelid = x.indexrelid))
      AND (x.indisunique OR x.indisexclusion) AND x.indislive
  );
END $$;
