-- Returns whether ALTER ROLE or ALTER DATABASE turn standard_conforming_strings off for a login role: its programs write backslashes in
-- plain literals as escapes.
CREATE OR REPLACE FUNCTION stage.escapes_backslashes(p_role name) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT coalesce((
    SELECT split_part(c.setting, '=', 2)::boolean
    FROM pg_db_role_setting s CROSS JOIN unnest(s.setconfig) c (setting)
    WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
      AND s.setrole IN (0, (SELECT r.oid FROM pg_roles r WHERE r.rolname = p_role))
      AND starts_with(lower(c.setting), 'standard_conforming_strings=')
    ORDER BY s.setrole = 0, s.setdatabase = 0 LIMIT 1), true)
$$;
REVOKE ALL ON FUNCTION stage.escapes_backslashes(name) FROM PUBLIC;
