-- The mutation log of a session that was rejected or deleted is removed in batches, as its staged rows are: for a while it belongs to
-- nothing. Whoever writes to it has locked the session's row before.
ALTER TABLE stage.mutation DROP CONSTRAINT mutation_session_fkey;
ALTER TABLE stage.discard ADD COLUMN log boolean NOT NULL DEFAULT false;
