-- Refuses a statement that changes a row which a trigger of production inserted in the session, if approval may give it another key.
-- p_seq: the number of the inserted row.
CREATE OR REPLACE FUNCTION stage.refuse_effect(p_session uuid, p_relation oid, p_seq bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text;
BEGIN
  IF NOT stage.draws_key(p_session, p_relation, p_seq) THEN RETURN; END IF;
  SELECT o.shown_name INTO v_name FROM stage.overlay o WHERE o.relation = p_relation;
  RAISE EXCEPTION 'cannot change a row of "%" that a trigger inserted in this session', v_name
    USING ERRCODE = 'feature_not_supported', TABLE = v_name, DETAIL = 'Its key is drawn: production''s trigger inserts the row under another one at approval.',
      HINT = 'Change the row after the approval, in a new session.';
END $$;
REVOKE ALL ON FUNCTION stage.refuse_effect(uuid, oid, bigint) FROM PUBLIC;
