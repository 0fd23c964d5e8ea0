-- Removes what a session staged, in the transaction that decides about it: an approval holds rows of production meanwhile. So it
-- removes no more than takes a moment, and leaves the rest to stage.discard_batch. Nothing is staged in the session any more then.
DROP FUNCTION IF EXISTS stage.discard_rows(uuid);
CREATE FUNCTION stage.discard_rows(p_session uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT stage.discard_some(p_session, ARRAY(SELECT stage.staged_relations(p_session))) THEN
    INSERT INTO stage.discard (session) VALUES (p_session);
  END IF;
END $$;
REVOKE ALL ON FUNCTION stage.discard_rows(uuid) FROM PUBLIC;
