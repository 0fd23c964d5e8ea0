-- The rows of each proposal, for each of its session's authors, while the policy has budgets. They stay when the session is deleted.
CREATE TABLE IF NOT EXISTS stage.proposed_rows (
  session uuid NOT NULL,
  round int NOT NULL CHECK (round >= 1),
  -- A name in lower case.
  person text NOT NULL,
  project_id text NOT NULL,
  row_count bigint NOT NULL CHECK (row_count >= 0),
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (session, round, person)
);
CREATE INDEX IF NOT EXISTS proposed_rows_day ON stage.proposed_rows (person, at);
REVOKE ALL ON stage.proposed_rows FROM PUBLIC;
REVOKE UPDATE, DELETE, TRUNCATE ON stage.proposed_rows FROM CURRENT_USER;
