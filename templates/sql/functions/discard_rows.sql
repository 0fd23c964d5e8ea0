-- Removes what a session staged, and its mutation log where p_log is true, in the transaction that decides on the session. An approval
-- holds locks on rows of production meanwhile, so this removes only as much as takes a moment, and leaves the rest to stage.discard_batch.
-- Nothing is staged in the session any more then.
DROP FUNCTION IF EXISTS stage.discard_rows(uuid);
CREATE OR REPLACE FUNCTION stage.discard_rows(p_session uuid, p_log boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT stage.discard_some(p_session, ARRAY(SELECT stage.staged_relations(p_session)), p_log) THEN
    INSERT INTO stage.discard (session, log) VALUES (p_session, p_log);
  END IF;
END $$;
REVOKE ALL ON FUNCTION stage.discard_rows(uuid, boolean) FROM PUBLIC;
