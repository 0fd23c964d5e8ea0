-- The approved session whose changes a session was made to take back; null in all others.
ALTER TABLE stage.session ADD COLUMN reverts uuid;
