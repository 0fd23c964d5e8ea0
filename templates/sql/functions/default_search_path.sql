-- Returns the search_path that this account would have if the service did not pin it: production's triggers may rely on it.
CREATE OR REPLACE FUNCTION stage.default_search_path() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((
    SELECT substr(c.setting, length('search_path=') + 1)
    FROM pg_db_role_setting s CROSS JOIN unnest(s.setconfig) AS c (setting)
    WHERE c.setting LIKE 'search\_path=%'
      AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
      AND s.setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
    ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1
  ), '"$user", public')
$$;
REVOKE ALL ON FUNCTION stage.default_search_path() FROM PUBLIC;
