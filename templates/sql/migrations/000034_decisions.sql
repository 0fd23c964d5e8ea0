-- Every verdict on a session, in the order of commits. A session's own row shows its present state only.
CREATE TABLE stage.decision (
  -- The number of the event that reports it. No foreign key: its check would need the right to UPDATE events, which nobody has.
  number bigint PRIMARY KEY,
  -- No foreign key: a verdict outlives the session.
  session uuid NOT NULL,
  -- How often the session had been proposed.
  round int NOT NULL CHECK (round >= 0),
  verdict text NOT NULL CHECK (verdict IN ('approve', 'reject', 'request_changes', 'withdraw', 'expire')),
  -- The approved diff's digest.
  digest text CHECK ((verdict = 'approve') = (digest IS NOT NULL)),
  -- The name of the token that was shown, and the name that the caller stated; null where there was none.
  by_as text,
  by_claim text,
  -- The reason, or what is asked for.
  message text,
  at timestamptz NOT NULL
);
CREATE INDEX decision_session ON stage.decision (session, number);
CREATE UNIQUE INDEX decision_final ON stage.decision (session) WHERE verdict IN ('approve', 'reject', 'expire');

-- Sessions that were decided before events existed get the event of their verdict now.
WITH missing AS (
  SELECT s.*, row_number() OVER (ORDER BY coalesce(s.approved_at, s.rejected_at), s.id) AS place
  FROM stage.session s
  WHERE s.status IN ('approved', 'rejected')
    AND NOT EXISTS (SELECT FROM stage.event e WHERE e.session = s.id AND e.kind IN ('approved', 'rejected', 'expired'))
), added AS (
  INSERT INTO stage.event (number, session, project_id, kind, at, by_as, body)
  SELECT h.number + m.place, m.id, m.project_id, m.status, coalesce(m.approved_at, m.rejected_at), coalesce(m.approved_as, m.rejected_as),
    CASE m.status WHEN 'approved' THEN jsonb_build_object('digest', m.digest, 'approved_by', m.approved_by)
                  ELSE jsonb_build_object('reason', m.reason) END
  FROM missing m CROSS JOIN stage.event_head h
  RETURNING number
)
UPDATE stage.event_head SET number = number + (SELECT count(*) FROM added);

INSERT INTO stage.decision (number, session, round, verdict, digest, by_as, by_claim, message, at)
SELECT e.number, e.session,
  CASE WHEN e.kind IN ('approved', 'rejected') THEN greatest(s.round, p.round, 1)
       ELSE coalesce((e.body ->> 'round')::int, p.round, 0) END,
  v.verdict, CASE e.kind WHEN 'approved' THEN e.body ->> 'digest' END, e.by_as,
  e.body ->> 'approved_by', coalesce(e.body ->> 'message', e.body ->> 'reason'), e.at
FROM stage.event e
JOIN (VALUES ('approved', 'approve'), ('rejected', 'reject'), ('expired', 'expire'), ('changes_requested', 'request_changes'),
  ('withdrawn', 'withdraw')) v (kind, verdict) ON v.kind = e.kind
LEFT JOIN stage.session s ON s.id = e.session
CROSS JOIN LATERAL (
  SELECT count(*)::int AS round FROM stage.event o WHERE o.session = e.session AND o.kind = 'proposed' AND o.number < e.number
) p;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stage.decision
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_event_change();
REVOKE ALL ON stage.decision FROM PUBLIC;
REVOKE UPDATE, DELETE, TRUNCATE ON stage.decision FROM CURRENT_USER;
