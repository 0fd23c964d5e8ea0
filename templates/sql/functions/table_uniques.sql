-- Unique indexes and exclusion constraints of a table as a JSON array, in the order in which PostgreSQL checks them.
CREATE OR REPLACE FUNCTION stage.table_uniques(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object(
      'name', ic.relname,
      'oid', x.indexrelid::bigint,
      'kind', CASE WHEN x.indisexclusion THEN 'exclusion' ELSE 'unique' END,
      'elements', (
        SELECT jsonb_agg(jsonb_build_object(
            'column', a.attname,
            'definition', CASE WHEN a.attname IS NULL THEN '(' || pg_get_indexdef(x.indexrelid, g, true) || ')'
                               ELSE pg_get_indexdef(x.indexrelid, g, true) END,
            -- an index may store another type than the expression has
            'type', (SELECT format_type(CASE WHEN oc.opckeytype IN (0, oc.opcintype) OR it.typtype = 'p' THEN e.atttypid ELSE oc.opcintype END, NULL)
                       FROM pg_attribute e, pg_opclass oc JOIN pg_type it ON it.oid = oc.opcintype
                      WHERE e.attrelid = x.indexrelid AND e.attnum = g AND oc.oid = x.indclass[g - 1]),
            'operator', stage.index_operator(x.indexrelid, g)) ORDER BY g)
        FROM generate_series(1, x.indnkeyatts) g
        LEFT JOIN pg_attribute a ON a.attrelid = p_relation AND a.attnum = x.indkey[g - 1] AND a.attnum > 0),
      'columns', (
        SELECT coalesce(jsonb_agg(a.attname ORDER BY a.attnum), '[]') FROM pg_attribute a
        WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped
          AND (a.attnum = ANY (x.indkey[0:x.indnkeyatts - 1]) OR EXISTS (
            SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = x.indexrelid
              AND d.refclassid = 'pg_class'::regclass AND d.refobjid = p_relation AND d.refobjsubid = a.attnum
              AND NOT a.attnum = ANY (x.indkey[x.indnkeyatts:])))),
      'predicate', pg_get_expr(x.indpred, x.indrelid),
      'nullsNotDistinct', x.indnullsnotdistinct,
      'timing', CASE WHEN coalesce(k.condeferred, false) THEN 'deferred'
                     WHEN x.indimmediate THEN 'immediate' ELSE 'deferrable' END,
      'indexDefinition', pg_get_indexdef(x.indexrelid),
      'method', am.amname
    ) ORDER BY x.indexrelid), '[]')
  FROM pg_index x
  JOIN pg_class ic ON ic.oid = x.indexrelid
  JOIN pg_am am ON am.oid = ic.relam
  LEFT JOIN pg_constraint k ON k.conindid = x.indexrelid AND k.contype IN ('p', 'u', 'x')
  WHERE x.indrelid = p_relation AND (x.indisunique OR x.indisexclusion) AND x.indislive
$$;
