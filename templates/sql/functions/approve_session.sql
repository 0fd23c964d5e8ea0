-- Applies an approval, in the transaction that has locked the session and found no conflict: applies the staged rows, writes and seals the
-- audit, and discards what was staged. stage.decide changes the state after that. Returns {"failure"} if production refused a row, else
-- {"differences"} (see stage.trigger_differences). With p_refuses, unexpected differences end it before anything is sealed: the caller has
-- to roll back. p_voters are the names of all who agreed, where several had to. p_grounds states why others did not have to: {"policy"} or
-- {"break_glass"}. It has no defaults: with fewer values, as a daemon of an earlier release has, the call is that of
-- approve_session_before_policy.sql.
DROP FUNCTION IF EXISTS stage.approve_session(uuid, text, text, text);
DROP FUNCTION IF EXISTS stage.approve_session(uuid, text, text, text, boolean);
CREATE OR REPLACE FUNCTION stage.approve_session(
  p_session uuid, p_approved_by text, p_approved_as text, p_digest text, p_refuses boolean, p_voters jsonb,
  p_grounds jsonb
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_head stage.audit_head;
  v_state stage.audit_state;
  v_failure jsonb;
  v_differences jsonb;
BEGIN
  -- guard: session_replication_role silences no trigger of production at approval
  PERFORM stage.fire_triggers();
  PERFORM stage.name_people(p_session, coalesce(p_approved_as, p_approved_by));
  SELECT * INTO STRICT v_head FROM stage.audit_head FOR UPDATE;
  -- read under the lock, so that times increase with positions
  SELECT s.id, s.project_id, clock_timestamp(), p_approved_by, v_head."position", v_head.hash INTO STRICT v_state
  FROM stage.session s WHERE s.id = p_session;
  SELECT (a.p_state).*, a.failure
  INTO v_state.session, v_state.project_id, v_state.approved_at, v_state.approved_by, v_state."position", v_state.hash, v_failure
  FROM stage.apply_session(v_state) a;
  IF v_failure IS NOT NULL THEN RETURN jsonb_build_object('failure', v_failure); END IF;
  v_differences := stage.trigger_differences(p_session);
  IF p_refuses AND (v_differences ->> 'unexpected')::bigint > 0 THEN RETURN jsonb_build_object('differences', v_differences); END IF;

  v_state.hash := stage.chain_link(v_state.hash, NULL, convert_to(stage.approval_text(v_head.approvals + 1, p_session,
    v_state.project_id, p_digest, v_head."position" + 1, v_state."position" - v_head."position", v_state.approved_at,
    p_approved_by, p_approved_as, p_voters, p_grounds), 'UTF8'));
  INSERT INTO stage.approval (number, session, project_id, digest, first_position, entries, approved_at, approved_by, approved_as, hash, voters,
    grounds)
  VALUES (v_head.approvals + 1, p_session, v_state.project_id, p_digest, v_head."position" + 1,
    v_state."position" - v_head."position", v_state.approved_at, p_approved_by, p_approved_as,
    v_state.hash, p_voters, p_grounds);
  UPDATE stage.audit_head SET "position" = v_state."position", approvals = approvals + 1, hash = v_state.hash;

  PERFORM stage.discard_rows(p_session, false);
  RETURN jsonb_build_object('differences', v_differences);
END $$;
REVOKE ALL ON FUNCTION stage.approve_session(uuid, text, text, text, boolean, jsonb, jsonb) FROM PUBLIC;
