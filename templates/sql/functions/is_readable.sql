-- Returns whether every role that staged in a session may read all of a table; false for an unknown role, and where no role staged. The
-- rows that a revert stages have no role: they are as readable as the rows of the session that it reverts.
CREATE OR REPLACE FUNCTION stage.is_readable(p_session uuid, p_relation oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  -- guard: a table without staged rows is not read
  -- guard: a role that is not known reads nothing
  -- guard: every role that staged must be able to read
  -- guard: rows of a revert are as readable as the rows that it reverts
  SELECT coalesce(bool_and(CASE WHEN r.role IS NOT NULL THEN stage.can_read(r.role, $2)
    ELSE stage.is_readable((SELECT s.reverts FROM stage.session s WHERE s.id = $1), $2) END), false) FROM stage.roles_of($1) AS r (role)
$$;
REVOKE ALL ON FUNCTION stage.is_readable(uuid, oid) FROM PUBLIC;
