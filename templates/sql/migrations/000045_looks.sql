-- The last rehearsal of each session that succeeded, and what it was of. Nothing else remains of a rehearsal.
CREATE TABLE IF NOT EXISTS stage.rehearsal (
  session uuid PRIMARY KEY REFERENCES stage.session ON DELETE CASCADE,
  -- The proposal that it was of, or the next one of an active session.
  round int NOT NULL CHECK (round >= 1),
  edits bigint NOT NULL,
  mutations bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
REVOKE ALL ON stage.rehearsal FROM PUBLIC;

-- The conflicts that the last look at production found, by table: a search for them is too long for each brief. No value of a row.
CREATE TABLE IF NOT EXISTS stage.found_conflict (
  session uuid PRIMARY KEY REFERENCES stage.session ON DELETE CASCADE,
  edits bigint NOT NULL,
  mutations bigint NOT NULL,
  tables jsonb NOT NULL CHECK (jsonb_typeof(tables) = 'array'),
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
REVOKE ALL ON stage.found_conflict FROM PUBLIC;
