-- The transaction that staged a mutation. A staged row's own xmin does not say it: it may be a savepoint's number, and snapshots have none of them.
ALTER TABLE stage.mutation ADD COLUMN transaction xid8;
ALTER TABLE stage.mutation ALTER COLUMN transaction SET DEFAULT pg_current_xact_id();
