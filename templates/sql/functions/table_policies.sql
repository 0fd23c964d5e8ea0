-- Returns the row-level security policies of a table as a JSON array, in the order in which PostgreSQL evaluates them; NULL if row-level
-- security is not enabled.
CREATE OR REPLACE FUNCTION stage.table_policies(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'name', p.polname,
        'command', CASE p.polcmd WHEN 'r' THEN 'select' WHEN 'a' THEN 'insert' WHEN 'w' THEN 'update' WHEN 'd' THEN 'delete' ELSE 'all' END,
        'isPermissive', p.polpermissive,
        'roles', to_jsonb(p.polroles::int8[]),
        'using', pg_get_expr(p.polqual, p.polrelid),
        'check', pg_get_expr(p.polwithcheck, p.polrelid)
      ) ORDER BY p.polname) FILTER (WHERE p.oid IS NOT NULL), '[]')
    FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid
    WHERE c.oid = p_relation AND c.relrowsecurity
    HAVING count(*) > 0
  );
END $$;
