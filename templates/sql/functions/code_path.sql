-- Returns the search path under which expressions of a table are evaluated, as quoted names: that of approvals, because the functions that
-- they call may rely on it. NULL if they call no functions of users. p_catalog: `pg_constraint` or `pg_attrdef`, with p_objects' OIDs.
CREATE OR REPLACE FUNCTION stage.code_path(p_catalog text, p_objects oid[]) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM stage.referenced_functions(p_catalog, p_objects)) THEN RETURN NULL; END IF;
  RETURN concat((
    SELECT string_agg(quote_ident(n.nspname) || ', ', '' ORDER BY s.place)
    FROM unnest(stage.default_schemas()) WITH ORDINALITY s(name, place) JOIN pg_namespace n ON n.nspname = s.name
    WHERE n.nspname !~ '^pg_(toast_)?temp'
      -- guard: functions that anybody can create do not run with the service account's rights
      AND NOT has_schema_privilege('public', n.oid, 'CREATE')
  ), 'pg_temp');
END $$;
