-- Triggers change and delete rows, too, of production and of the session: each version that one wrote is recorded, with its lineage.
ALTER TABLE stage.effect ADD COLUMN IF NOT EXISTS root bigint;
UPDATE stage.effect SET root = seq WHERE root IS NULL;
ALTER TABLE stage.effect ALTER COLUMN root SET NOT NULL;
CREATE INDEX IF NOT EXISTS effect_root ON stage.effect (session, root);
