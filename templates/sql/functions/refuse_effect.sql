-- Refuses a statement that changes a row which a trigger of production inserted in the session.
CREATE OR REPLACE FUNCTION stage.refuse_effect(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text := (SELECT o.shown_name FROM stage.overlay o WHERE o.relation = p_relation);
BEGIN
  RAISE EXCEPTION 'cannot change a row of "%" that a trigger inserted in this session', v_name
    USING ERRCODE = 'feature_not_supported', TABLE = v_name,
      HINT = 'Production''s trigger inserts the row at approval. Change it after that, in a new session.';
END $$;
REVOKE ALL ON FUNCTION stage.refuse_effect(oid) FROM PUBLIC;
