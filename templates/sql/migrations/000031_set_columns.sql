-- The columns that a statement set, where triggers wait for updates of certain columns: approval sets no others. As an array of names; null
-- where no trigger did, then approval sets all columns.
ALTER TABLE stage.mutation ADD COLUMN IF NOT EXISTS columns jsonb;
