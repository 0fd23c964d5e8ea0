-- The brief of each proposal, as it was soon after the session was proposed. The values in it go with the log of a rejected session.
CREATE TABLE IF NOT EXISTS stage.card (
  session uuid NOT NULL REFERENCES stage.session ON DELETE CASCADE,
  round int NOT NULL CHECK (round >= 1),
  -- What the brief is about: it is of no other edit and of no other mutations.
  edits bigint NOT NULL,
  mutations bigint NOT NULL,
  -- The patterns of sensitive columns that it was made with.
  sensitive jsonb NOT NULL CHECK (jsonb_typeof(sensitive) = 'array'),
  brief json NOT NULL CHECK (json_typeof(brief) = 'object'),
  -- Null until it is computed. An approval computes its own.
  digest text,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (session, round)
);
REVOKE ALL ON stage.card FROM PUBLIC;
CREATE INDEX IF NOT EXISTS session_proposed ON stage.session (proposed_at, id) WHERE status = 'proposed';
