-- CHECK constraints of a table as a JSON array, in the order in which PostgreSQL judges them (by name).
CREATE OR REPLACE FUNCTION stage.table_checks(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object(
      'name', c.conname,
      'expression', pg_get_expr(c.conbin, c.conrelid),
      'columns', (SELECT coalesce(jsonb_agg(a.attname ORDER BY a.attnum), '[]')
                    FROM pg_attribute a WHERE a.attrelid = p_relation AND a.attnum = ANY (c.conkey))
    ) ORDER BY c.conname), '[]')
  FROM pg_constraint c
  WHERE c.conrelid = p_relation AND c.contype = 'c'
    AND coalesce((to_jsonb(c) ->> 'conenforced')::boolean, true)  -- PostgreSQL 18 has NOT ENFORCED
$$;
