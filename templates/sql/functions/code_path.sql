-- Returns the search path under which expressions of a table are evaluated, as quoted names: that of approvals, because the functions that
-- they call may rely on it. NULL if they call no functions of users. p_catalog: `pg_constraint` or `pg_attrdef`, with p_objects' OIDs.
CREATE OR REPLACE FUNCTION stage.code_path(p_catalog text, p_objects oid[]) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_own pg_catalog.text := pg_catalog.current_setting('search_path');
  v_schemas pg_catalog.name[];
BEGIN
  IF NOT EXISTS (SELECT FROM stage.referenced_functions(p_catalog, p_objects)) THEN RETURN NULL; END IF;
  PERFORM pg_catalog.set_config('search_path', stage.default_search_path(), true);
  -- nothing else runs under that path: an operator could be a user's
  v_schemas := pg_catalog.current_schemas(true);
  PERFORM pg_catalog.set_config('search_path', v_own, true);
  RETURN pg_catalog.concat((
    SELECT pg_catalog.string_agg(pg_catalog.quote_ident(n.nspname) OPERATOR(pg_catalog.||) ', ', '' ORDER BY s.place)
    FROM pg_catalog.unnest(v_schemas) WITH ORDINALITY s(name, place) JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) s.name
    WHERE n.nspname OPERATOR(pg_catalog.!~) '^pg_(toast_)?temp'
      -- guard: functions that anybody can create do not run with the service account's rights
      AND NOT pg_catalog.has_schema_privilege('public', n.oid, 'CREATE')
  ), 'pg_temp');
END $$;
