-- Keeps functions with their owners' rights and writes without the right to the table apart: each holds its own lock, shared with its like,
-- to the end of the transaction, and waits until no other connection of the session holds the other one. p_is_definer: which of the two the
-- caller is.
CREATE OR REPLACE FUNCTION stage.lock_definers(p_session uuid, p_is_definer boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_own bigint := hashtextextended(concat_ws('/', p_session, 'definers', p_is_definer), 0);
  v_other bigint := hashtextextended(concat_ws('/', p_session, 'definers', NOT p_is_definer), 0);
BEGIN
  PERFORM pg_advisory_xact_lock_shared(v_own);
  PERFORM pg_advisory_lock(v_other);
  PERFORM pg_advisory_unlock(v_other);
END $$;
REVOKE ALL ON FUNCTION stage.lock_definers(uuid, boolean) FROM PUBLIC;
