-- Staged rows that a change of their table has made ambiguous: kept as the diff showed them, until their session ends.

CREATE TABLE stage.parked_table (
  session uuid NOT NULL REFERENCES stage.session ON DELETE CASCADE,
  relation oid NOT NULL,
  table_name text NOT NULL,
  -- The columns, by their names at staging, of which nobody can say what the session's values mean now; empty where it is the key.
  columns text[] NOT NULL,
  PRIMARY KEY (session, relation)
);

CREATE TABLE stage.parked_change (
  session uuid NOT NULL,
  relation oid NOT NULL,
  number bigint NOT NULL,
  operation text NOT NULL CHECK (operation IN ('INSERT', 'UPDATE', 'DELETE')),
  row_id jsonb NOT NULL,
  before jsonb,
  after jsonb,
  PRIMARY KEY (session, relation, number),
  FOREIGN KEY (session, relation) REFERENCES stage.parked_table ON DELETE CASCADE
);
REVOKE ALL ON stage.parked_table, stage.parked_change FROM PUBLIC;

ALTER TABLE stage.overlay
  -- What the shadow table's columns stand for: [{"number", "name", "type", "generated"}, ...].
  ADD COLUMN columns jsonb NOT NULL DEFAULT '[]',
  -- The file of the table when the overlay was built: values changed their meaning only if it was rewritten.
  ADD COLUMN storage oid,
  -- Some session has parked changes of it.
  ADD COLUMN parked boolean NOT NULL DEFAULT false;
