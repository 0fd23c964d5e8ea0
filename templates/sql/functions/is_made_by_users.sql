-- Returns whether users made an object: it came neither with the server nor with an extension.
CREATE OR REPLACE FUNCTION stage.is_made_by_users(p_catalog text, p_object oid) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT p_object OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid AND NOT stage.is_of_extension(p_catalog, p_object)
$$;
