-- Adds an event, as the last step of the transaction that it reports: the event exists if and only if that was committed, and the lock that
-- assigns numbers in the order of commits is locked for a moment only.
CREATE OR REPLACE FUNCTION stage.emit(p_session uuid, p_project_id text, p_kind text, p_by_as text, p_body jsonb) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_number bigint;
BEGIN
  -- guard: events are numbered in the order of commits
  UPDATE stage.event_head SET number = number + 1 RETURNING number INTO STRICT v_number;
  INSERT INTO stage.event (number, session, project_id, kind, at, by_as, body)
  VALUES (v_number, p_session, p_project_id, p_kind, clock_timestamp(), p_by_as, p_body);
  RETURN v_number;
END $$;
REVOKE ALL ON FUNCTION stage.emit(uuid, text, text, text, jsonb) FROM PUBLIC;
