-- Staged rows that were taken out of a session, or altered in it, by others than statements: how often, when, and by which transaction
-- last. A statement that read the session's rows before must not stage upon what it read.
ALTER TABLE stage.session ADD COLUMN edits bigint NOT NULL DEFAULT 0, ADD COLUMN edited_at timestamptz, ADD COLUMN edited xid8;
