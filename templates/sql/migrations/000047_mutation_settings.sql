-- The settings of the application that a statement had, where functions of users read some: approval sets them for production's triggers.
-- An object of texts by name; null if there were none.
ALTER TABLE stage.mutation ADD COLUMN IF NOT EXISTS settings jsonb;
-- The names of those that code of users reads, of when the overlay or its triggers were made (see stage.settings_read).
ALTER TABLE stage.overlay ADD COLUMN IF NOT EXISTS settings text[] NOT NULL DEFAULT '{}';
