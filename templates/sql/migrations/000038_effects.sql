-- Rows that triggers wrote to other tables while staging. Production's own triggers write them at approval, so they are not applied.
ALTER TYPE stage.row_origin ADD VALUE IF NOT EXISTS 'trigger' BEFORE 'overlay';

CREATE TABLE IF NOT EXISTS stage.effect (
  session uuid NOT NULL,
  -- The number of the row that the trigger wrote, and its table.
  seq bigint NOT NULL,
  relation oid NOT NULL,
  -- The lineage of the row for which the trigger fired, and its table.
  cause bigint NOT NULL,
  cause_relation oid NOT NULL,
  trigger text NOT NULL,
  -- A hash of the trigger as it was, see stage.trigger_definition.
  definition text,
  PRIMARY KEY (session, seq)
);
ALTER TABLE stage.effect ADD COLUMN IF NOT EXISTS definition text;
CREATE INDEX IF NOT EXISTS effect_cause ON stage.effect (session, cause);
REVOKE ALL ON stage.effect FROM PUBLIC;
