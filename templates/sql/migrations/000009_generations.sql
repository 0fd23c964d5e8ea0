-- What each of the objects was made by (see src/staging/overlay/generation.ts); null where nobody knows.
ALTER TABLE stage.overlay ADD COLUMN generation text;
ALTER TABLE stage.tree ADD COLUMN generation text;
ALTER TABLE stage.twin ADD COLUMN generation text;
ALTER TABLE stage.function_twin ADD COLUMN generation text;
