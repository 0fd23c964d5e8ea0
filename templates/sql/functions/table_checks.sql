-- Returns the CHECK constraints of a table as a JSON array, in the order in which PostgreSQL evaluates them (by name). Those that a
-- partition has of its own apply to its rows.
CREATE OR REPLACE FUNCTION stage.table_checks(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'name', c.conname,
        'path', stage.code_path('pg_constraint', ARRAY[c.oid]),
        'expression', CASE WHEN r.bounds IS NULL THEN c.expression ELSE format('NOT (%s) OR (%s)', r.bounds, c.expression) END,
        'columns', (SELECT coalesce(jsonb_agg(a.attname ORDER BY a.attnum), '[]')
                      FROM pg_attribute a
                     WHERE a.attrelid = p_relation AND CASE WHEN r.bounds IS NULL THEN a.attnum = ANY (c.conkey)
                                                            ELSE a.attnum > 0 AND NOT a.attisdropped END)
      ) ORDER BY c.conname, r.relation), '[]')
    FROM (SELECT p_relation AS relation, NULL AS bounds UNION ALL
          SELECT b.relation, b.bounds FROM stage.partition_bounds(p_relation) b WHERE b.is_leaf) r
    CROSS JOIN LATERAL (
      SELECT k.oid, k.conname, k.conkey, pg_get_expr(k.conbin, k.conrelid) AS expression
      -- OFFSET 0: constraints of other tables are not read
      FROM (SELECT * FROM pg_constraint a WHERE a.conrelid = r.relation AND a.contype = 'c' OFFSET 0) k
      WHERE coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)  -- PostgreSQL 18 has NOT ENFORCED
        AND (r.bounds IS NULL OR NOT EXISTS (
          SELECT FROM pg_constraint i WHERE i.conrelid = p_relation AND i.contype = 'c' AND i.conname = k.conname))) c
  );
END $$;
