-- The view that rows are put into a table as a set, as JSON, or NULL.
CREATE OR REPLACE FUNCTION stage.load_of(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object('schema', n.nspname, 'name', v.relname)
  FROM pg_class c
  JOIN pg_namespace n ON n.nspname = concat('stage_load_', c.relnamespace)
  JOIN pg_class v ON v.relnamespace = n.oid AND v.relname = c.relname
  WHERE c.oid = p_relation AND stage.is_own_schema(n.oid)
    AND EXISTS (SELECT FROM pg_class t JOIN pg_namespace d ON d.oid = t.relnamespace WHERE d.nspname = 'stage' AND t.relname = concat('rows_', p_relation))
$$;
