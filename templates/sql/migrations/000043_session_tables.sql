-- The tables in which a session may have staged rows, written with the first of them: reviews look at no other tables. Rows stay until the
-- session's are removed. Two transactions that run at once may each add the same table: a unique index would make one wait for the other.
CREATE TABLE IF NOT EXISTS stage.staged_table (
  session uuid NOT NULL,
  relation oid NOT NULL
);
CREATE INDEX IF NOT EXISTS staged_table_session ON stage.staged_table (session, relation);
REVOKE ALL ON stage.staged_table FROM PUBLIC;

-- Whether stage.staged_table has all tables of the session. False for sessions that began before it existed.
ALTER TABLE stage.session ADD COLUMN IF NOT EXISTS has_tables boolean NOT NULL DEFAULT false;
ALTER TABLE stage.session ALTER COLUMN has_tables SET DEFAULT true;

-- stage.definition_stamp and stage.system_stamp when the overlay was built.
ALTER TABLE stage.overlay ADD COLUMN IF NOT EXISTS definition_stamp text;
