-- Removes a batch of what decisions have left behind, of a session that no other transaction is cleaning up; returns whether there was any.
CREATE OR REPLACE FUNCTION stage.discard_batch() RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_found stage.discard;
BEGIN
  -- guard: daemons that remove rows do not wait for each other
  SELECT d.* INTO v_found FROM stage.discard d ORDER BY d.since LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  IF stage.discard_some(v_found.session, ARRAY(SELECT o.relation FROM stage.overlay o ORDER BY o.relation), v_found.log) THEN
    DELETE FROM stage.discard d WHERE d.session = v_found.session;
  END IF;
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION stage.discard_batch() FROM PUBLIC;
