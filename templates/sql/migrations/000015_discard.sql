-- Sessions that are decided or deleted, of whose staged rows some are still there: they are removed in batches.
CREATE TABLE stage.discard (
  session uuid PRIMARY KEY,
  since timestamptz NOT NULL DEFAULT clock_timestamp()
);
REVOKE ALL ON stage.discard FROM PUBLIC;
