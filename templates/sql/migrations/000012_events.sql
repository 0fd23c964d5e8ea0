-- What happens to sessions, in the order in which it was committed: changes of state, and what people say to each other.
CREATE TABLE stage.event (
  number bigint PRIMARY KEY CHECK (number > 0),
  -- No foreign key: what happened to a session outlives it.
  session uuid NOT NULL,
  project_id text NOT NULL,
  kind text NOT NULL,
  at timestamptz NOT NULL,
  -- The name of the token that was shown; null where none was.
  by_as text,
  -- Ids, counts, digests and messages; never a value of a row but its key, where a comment names it.
  body jsonb NOT NULL CHECK (jsonb_typeof(body) = 'object')
);
CREATE INDEX event_session ON stage.event (session, number);

-- The last number. Whoever adds an event locks the row until its transaction ends: numbers have no gaps, and none becomes
-- visible after a greater one.
CREATE TABLE stage.event_head (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  number bigint NOT NULL DEFAULT 0
);
INSERT INTO stage.event_head DEFAULT VALUES;

CREATE FUNCTION stage.refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'cannot execute % on "%": events are append-only', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stage.event
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_event_change();
CREATE TRIGGER append_only BEFORE INSERT OR DELETE OR TRUNCATE ON stage.event_head
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_event_change();

REVOKE ALL ON stage.event, stage.event_head FROM PUBLIC;
REVOKE UPDATE, DELETE, TRUNCATE ON stage.event FROM CURRENT_USER;
REVOKE INSERT, DELETE, TRUNCATE ON stage.event_head FROM CURRENT_USER;

-- How often the session was proposed, and the names of those whose proposals were taken back: the session's own row keeps the
-- name of the last one only.
ALTER TABLE stage.session ADD COLUMN round int NOT NULL DEFAULT 0;
ALTER TABLE stage.session ADD COLUMN earlier_authors text[] NOT NULL DEFAULT '{}';
UPDATE stage.session SET round = 1 WHERE status <> 'active';

-- A request that is repeated with its key finds the session that it made, and the hash of what it asked for.
ALTER TABLE stage.session ADD COLUMN request_key text;
ALTER TABLE stage.session ADD COLUMN request_hash text;
ALTER TABLE stage.session ADD CONSTRAINT session_request CHECK ((request_key IS NULL) = (request_hash IS NULL));
CREATE UNIQUE INDEX session_request_key ON stage.session (created_as, request_key) NULLS NOT DISTINCT
WHERE request_key IS NOT NULL;
