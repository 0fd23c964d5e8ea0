-- Returns the roles that logged in and staged in a session as another role, which SET ROLE had set; each once, as in stage.roles_of.
CREATE OR REPLACE FUNCTION stage.logins_of(p_session uuid) RETURNS SETOF name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_sort = off SET enable_incremental_sort = off AS $$
  WITH RECURSIVE found AS (
    (SELECT m.login FROM stage.mutation m WHERE m.session = $1 AND m.login IS NOT NULL ORDER BY m.login LIMIT 1)
    UNION ALL
    SELECT n.login FROM found f CROSS JOIN LATERAL (
      SELECT m.login FROM stage.mutation m WHERE m.session = $1 AND m.login > f.login ORDER BY m.login LIMIT 1
    ) n
  )
  SELECT f.login FROM found f
$$;
REVOKE ALL ON FUNCTION stage.logins_of(uuid) FROM PUBLIC;
