-- Returns the names of the settings of applications that code of users reads: `app.tenant` in current_setting('app.tenant', true). The code
-- is that of functions, defaults and checks. Names that are put together are not found.
CREATE OR REPLACE FUNCTION stage.settings_read() RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_internal oid[] := ARRAY(SELECT n.oid FROM pg_namespace n WHERE stage.is_internal_schema(n.oid));
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT lower(m.found[1])
    FROM (
      SELECT stage.function_body(p)
      FROM pg_proc p
      -- in this order: the service itself has several hundred functions
      WHERE p.oid >= 16384 AND CASE WHEN p.pronamespace = ANY (v_internal) THEN false ELSE p.prosrc ~* 'current_setting' OR p.prosqlbody IS NOT NULL END
      UNION ALL
      -- the functions are those of current_setting()
      SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d WHERE d.adbin::text ~ ':funcid (2077|3294) '
      UNION ALL
      SELECT pg_get_constraintdef(c.oid) FROM pg_constraint c WHERE c.conbin::text ~ ':funcid (2077|3294) '
    ) c (code) CROSS JOIN LATERAL regexp_matches(c.code, $q$current_setting\s*\(\s*'([^'\s]+\.[^'\s]+)'$q$, 'gi') AS m (found)
    -- guard: approval sets no setting of the server, of an extension or of the service
    WHERE m.found[1] !~* '^stage\.' AND NOT EXISTS (SELECT FROM pg_settings s WHERE lower(s.name) = lower(m.found[1]))
    ORDER BY 1);
END $$;
REVOKE ALL ON FUNCTION stage.settings_read() FROM PUBLIC;
