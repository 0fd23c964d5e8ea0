-- Returns what stage.is_bound does, and compares the system identifier of the cluster, too, for which it reads a file of the server.
CREATE OR REPLACE FUNCTION stage.is_bound_here() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT stage.is_bound() AND coalesce((SELECT i.system_identifier FROM stage.identity i) = stage.system_identifier(), true)
$$;
REVOKE ALL ON FUNCTION stage.is_bound_here() FROM PUBLIC;
