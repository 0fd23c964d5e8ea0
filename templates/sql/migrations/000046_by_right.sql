-- Whether the roles that staged rows of the table could have written them in production. A table has a row for each of the two: a function
-- that runs with its owner's rights reads no rows of others. Of earlier rows it is not known.
ALTER TABLE stage.staged_table ADD COLUMN IF NOT EXISTS by_right boolean NOT NULL DEFAULT false;
