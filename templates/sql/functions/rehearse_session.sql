-- Applies what a session staged as an approval does, in a transaction that is going to be rolled back. Returns NULL, or the failure if
-- production refused a row. Its audit entries have positions that no approval reaches, so neither waits for the other.
CREATE OR REPLACE FUNCTION stage.rehearse_session(p_session uuid) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_state stage.audit_state;
  v_failure jsonb;
BEGIN
  PERFORM stage.fire_triggers();
  -- there is no approver yet
  PERFORM stage.name_people(p_session, NULL);
  SELECT s.id, s.project_id, clock_timestamp(), NULL, (1::bigint << 61) + (pg_backend_pid()::bigint << 38), sha256('') INTO STRICT v_state
  FROM stage.session s WHERE s.id = p_session;
  SELECT a.failure INTO v_failure FROM stage.apply_session(v_state) a;
  RETURN v_failure;
END $$;
REVOKE ALL ON FUNCTION stage.rehearse_session(uuid) FROM PUBLIC;
