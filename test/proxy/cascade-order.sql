-- Triggers that see the order in which a deletion and the actions of its foreign keys come.
CREATE TABLE boards (id int PRIMARY KEY, comments int NOT NULL DEFAULT 0, seen int NOT NULL DEFAULT 0);
CREATE TABLE threads (id int PRIMARY KEY, board int REFERENCES boards, title text);
CREATE TABLE comments (id int PRIMARY KEY, thread int REFERENCES threads ON DELETE CASCADE, body text);
CREATE TABLE votes (id int PRIMARY KEY, comment int REFERENCES comments ON DELETE CASCADE);
CREATE TABLE pins (id int PRIMARY KEY, thread int REFERENCES threads ON DELETE SET NULL, was int);
CREATE TABLE log (n int PRIMARY KEY, what text);
INSERT INTO boards VALUES (1, 2), (2, 3);
INSERT INTO threads VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 2, 'c');
INSERT INTO comments VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'z'), (4, 2, 'u'), (5, 3, 'v');
INSERT INTO votes VALUES (1, 1), (2, 3), (3, 3), (4, 5);
INSERT INTO pins VALUES (1, 1), (2, 2), (3, 2);
CREATE FUNCTION count_comment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE boards SET comments = comments - 1 WHERE id = (SELECT board FROM threads WHERE id = OLD.thread);
  RETURN NULL;
END $$;
CREATE TRIGGER count_comment AFTER DELETE ON comments FOR EACH ROW EXECUTE FUNCTION count_comment();
CREATE FUNCTION count_thread() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE boards SET seen = seen + (SELECT count(*) FROM comments WHERE thread = OLD.id) WHERE id = OLD.board;
  RETURN OLD;
END $$;
CREATE TRIGGER count_thread BEFORE DELETE ON threads FOR EACH ROW EXECUTE FUNCTION count_thread();
CREATE FUNCTION log_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log SELECT 1 + count(*), concat(TG_TABLE_NAME, ' ', TG_OP, ' ', OLD.id) FROM log;
  IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'pins' THEN NEW.was := OLD.thread; END IF;
  IF TG_WHEN = 'AFTER' THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER log_pin BEFORE UPDATE ON pins FOR EACH ROW EXECUTE FUNCTION log_row();
CREATE TRIGGER z_log_vote AFTER DELETE ON votes FOR EACH ROW EXECUTE FUNCTION log_row();

-- after each story
SELECT * FROM boards ORDER BY id;
SELECT * FROM threads ORDER BY id;
SELECT * FROM comments ORDER BY id;
SELECT * FROM votes ORDER BY id;
SELECT * FROM pins ORDER BY id;
SELECT * FROM log ORDER BY n;

-- story: a row without children
INSERT INTO threads VALUES (9, 1, 'empty');
DELETE FROM threads WHERE id = 9;

-- story: a row with its children and theirs
DELETE FROM threads WHERE id = 1;

-- story: rows that are staged, several at once
INSERT INTO threads VALUES (4, 1, 'new');
INSERT INTO comments VALUES (6, 4, 'n'), (7, 2, 'm');
UPDATE boards SET comments = comments + 1;
DELETE FROM comments WHERE id = 3;
DELETE FROM threads WHERE id IN (2, 4);

-- story: other rows of the children are changed before and behind it
UPDATE pins SET thread = 3 WHERE id = 1;
UPDATE comments SET body = 'w' WHERE id = 5;
DELETE FROM threads WHERE id = 3;
INSERT INTO threads VALUES (3, 1, 'again');
INSERT INTO comments VALUES (5, 3, 'again');
DELETE FROM comments WHERE id = 5;
