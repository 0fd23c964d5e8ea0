-- A session that is split continues as two: chosen rows go to another session, which has the same log up to the split. An entry keeps its id
-- in both, because the id is smaller than the numbers of the entry's rows, and those stay. So an id means one entry in one session only.
ALTER TABLE stage.mutation DROP CONSTRAINT IF EXISTS mutation_pkey;
ALTER TABLE stage.mutation ADD CONSTRAINT mutation_pkey PRIMARY KEY (session, id);
-- the same columns
DROP INDEX IF EXISTS stage.mutation_session;

-- The session that a session was split from; null in all others. No foreign key: that one may be deleted.
ALTER TABLE stage.session ADD COLUMN IF NOT EXISTS split_from uuid;
-- Where a part was approved: the session that has the rest, the digest of the whole, which was reviewed, and a hash of the requested part.
ALTER TABLE stage.session ADD COLUMN IF NOT EXISTS remaining uuid, ADD COLUMN IF NOT EXISTS reviewed_digest text,
  ADD COLUMN IF NOT EXISTS reviewed_part text;
