-- Whether every role that staged in a session may read all of a table. A role that is not known, and no role at all, may not.
CREATE OR REPLACE FUNCTION stage.is_readable(p_session uuid, p_relation oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  -- guard: where nobody staged nobody reads
  -- guard: a role that is not known reads nothing
  -- guard: every role that staged must be able to read
  SELECT coalesce(bool_and(r.role IS NOT NULL AND stage.can_read(r.role, $2)), false) FROM stage.roles_of($1) AS r (role)
$$;
REVOKE ALL ON FUNCTION stage.is_readable(uuid, oid) FROM PUBLIC;
