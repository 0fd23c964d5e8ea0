-- Records a verdict on a session that the transaction has locked, as its last step: changes the session's state, adds the event with
-- p_body, and the decision with the event's number, which it returns. An approval has applied and discarded the staged rows before; for
-- rejections it discards them here. A vote leaves the state as it is. A schedule has the time in p_body; a verdict other than a vote,
-- on a session that is not decided yet, ends the schedule.
CREATE OR REPLACE FUNCTION stage.decide(p_session uuid, p_verdict text, p_by_as text, p_body jsonb) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_session stage.session;
  v_at timestamptz := clock_timestamp();
  v_body jsonb := p_body;
  v_round int;
  v_number bigint;
BEGIN
  SELECT * INTO STRICT v_session FROM stage.session s WHERE s.id = p_session;
  v_round := CASE WHEN v_session.status = 'active' THEN v_session.round ELSE greatest(v_session.round, 1) END;
  CASE p_verdict
  WHEN 'vote', 'schedule' THEN
    NULL;
  WHEN 'unschedule' THEN
    UPDATE stage.session s SET scheduled = NULL, apply_at = NULL WHERE s.id = p_session;
  WHEN 'review' THEN
    UPDATE stage.session s SET reviewed_at = v_at, reviewed_as = p_by_as WHERE s.id = p_session;
  WHEN 'approve' THEN
    UPDATE stage.session s SET status = 'approved', approved_at = a.approved_at, approved_by = a.approved_by, approved_as = a.approved_as,
      digest = a.digest, scheduled = NULL, apply_at = NULL, break_glass = a.grounds ->> 'break_glass'
    FROM stage.approval a WHERE s.id = p_session AND a.session = s.id
    RETURNING a.approved_at INTO STRICT v_at;
  WHEN 'reject', 'expire' THEN
    -- every session that is not active has the members of a proposal
    UPDATE stage.session s SET status = 'rejected', rejected_at = v_at, reason = p_body ->> 'reason', rejected_as = p_by_as,
      scheduled = NULL, apply_at = NULL, proposed_at = coalesce(s.proposed_at, v_at), sealed = coalesce(s.sealed, nextval('stage.seq')),
      mutation_count = coalesce(s.mutation_count, (SELECT count(*) FROM stage.mutation m WHERE m.session = s.id))
    WHERE s.id = p_session;
    PERFORM stage.discard_rows(p_session, true);
  WHEN 'request_changes', 'withdraw' THEN
    UPDATE stage.session s SET status = 'active', proposed_at = NULL, proposed_as = NULL, sealed = NULL, mutation_count = NULL,
      -- guard: a new proposal has no scheduled approval
      scheduled = NULL, apply_at = NULL,
      round = v_round, earlier_authors = s.earlier_authors || ARRAY[s.proposed_as]
    WHERE s.id = p_session;
    v_body := v_body || jsonb_build_object('round', v_round);
  END CASE;
  v_number := stage.emit(p_session, v_session.project_id, CASE p_verdict WHEN 'approve' THEN 'approved' WHEN 'vote' THEN 'voted'
    WHEN 'schedule' THEN 'scheduled' WHEN 'unschedule' THEN 'schedule_failed' WHEN 'review' THEN 'reviewed'
    WHEN 'reject' THEN 'rejected'
    WHEN 'expire' THEN 'expired' WHEN 'request_changes' THEN 'changes_requested' ELSE 'withdrawn' END, p_by_as, v_body);
  IF p_verdict = 'schedule' THEN
    UPDATE stage.session s SET scheduled = v_number, apply_at = (p_body ->> 'apply_at')::timestamptz WHERE s.id = p_session;
  END IF;
  INSERT INTO stage.decision (number, session, round, verdict, digest, by_as, by_claim, message, at)
  VALUES (v_number, p_session, v_round, p_verdict, CASE WHEN p_verdict IN ('approve', 'vote', 'schedule') THEN p_body ->> 'digest' END, p_by_as,
    p_body ->> 'approved_by', coalesce(p_body ->> 'message', p_body ->> 'reason'), v_at);
  RETURN v_number;
END $$;
REVOKE ALL ON FUNCTION stage.decide(uuid, text, text, jsonb) FROM PUBLIC;
