-- stage.dependent_columns when the overlay was made; null for a table without such a key, and where nobody has looked yet.
ALTER TABLE stage.overlay ADD COLUMN dependents jsonb;
