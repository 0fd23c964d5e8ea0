-- Policies that read other tables count what the session has staged there. The names that they use, as in stage.staged_function, with "tables":
-- the tables that they read, also through functions and through policies of these tables, and "asCaller": those among them that are read with
-- the client's rights. Without "tables" they read production. policy_stamp: NULL where they read nothing, `new` until they are followed.
ALTER TABLE stage.overlay
  ADD COLUMN IF NOT EXISTS policy_uses jsonb,
  ADD COLUMN IF NOT EXISTS policy_stamp text;
-- Seals what stage.counts_own_rows notes for the rest of a statement in a setting, which clients could set. Only the service reads it.
CREATE TABLE IF NOT EXISTS stage.seal_key (singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton), key uuid NOT NULL DEFAULT gen_random_uuid());
INSERT INTO stage.seal_key DEFAULT VALUES ON CONFLICT DO NOTHING;
