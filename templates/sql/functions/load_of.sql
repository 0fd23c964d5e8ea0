-- Returns the views by which rows of a table are staged as a set, as JSON, or NULL: schema and name of the load view, which takes new rows;
-- the name of the changes view, the columns that can be updated there, and whether rows can be deleted there. NULL for a table with
-- triggers that fire while rows are staged: these fire row by row.
CREATE OR REPLACE FUNCTION stage.load_of(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object('schema', n.nspname, 'name', v.relname, 'changes', w.relname,
    'updatable', (SELECT coalesce(jsonb_agg(a.attname), '[]') FROM pg_attribute a WHERE a.attrelid = w.oid AND a.attacl IS NOT NULL),
    'isDeletable', w.oid IS NOT NULL AND has_table_privilege('public', w.oid, 'DELETE'))
  FROM pg_class c
  JOIN pg_namespace n ON n.nspname = concat('stage_load_', c.relnamespace)
  JOIN pg_class v ON v.relnamespace = n.oid AND v.relname = c.relname
  LEFT JOIN pg_class w ON w.relnamespace = 'stage'::regnamespace AND w.relname = concat('changes_', c.oid)
  WHERE c.oid = p_relation AND stage.is_internal_schema(n.oid)
    AND EXISTS (SELECT FROM pg_class t JOIN pg_namespace d ON d.oid = t.relnamespace WHERE d.nspname = 'stage' AND t.relname = concat('rows_', p_relation))
    -- guard: no set passes triggers by
    AND NOT EXISTS (SELECT FROM stage.overlay o CROSS JOIN jsonb_array_elements(o.triggers) t(report) WHERE o.relation = p_relation AND stage.fires(t.report))
$$;
