-- Returns the roles with whose rights a session was staged, each once, and null after them where that of some mutation is not known. Goes
-- from role to role through the index, past the mutations of each. Sorting is off, because with the other index that begins with the
-- session all of them would be read.
CREATE OR REPLACE FUNCTION stage.roles_of(p_session uuid) RETURNS SETOF name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_sort = off SET enable_incremental_sort = off AS $$
  WITH RECURSIVE found AS (
    (SELECT m.role FROM stage.mutation m WHERE m.session = $1 AND m.role IS NOT NULL ORDER BY m.role LIMIT 1)
    UNION ALL
    SELECT n.role FROM found f CROSS JOIN LATERAL (
      SELECT m.role FROM stage.mutation m WHERE m.session = $1 AND m.role > f.role ORDER BY m.role LIMIT 1
    ) n
  )
  SELECT f.role FROM found f
  UNION ALL
  -- guard: mutations of an unknown role are among the roles
  SELECT NULL WHERE (SELECT m.role IS NULL FROM stage.mutation m WHERE m.session = $1 ORDER BY m.role DESC LIMIT 1)
$$;
REVOKE ALL ON FUNCTION stage.roles_of(uuid) FROM PUBLIC;
