-- Lists of one author's sessions, newest first, look at these alone.
CREATE INDEX session_author ON stage.session (created_as, created_at DESC, id);
