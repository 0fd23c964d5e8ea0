-- Counter columns that triggers keep, over two levels, beside cascades.
CREATE TABLE boards (id int PRIMARY KEY, name text, threads int NOT NULL DEFAULT 0, comments int NOT NULL DEFAULT 0);
CREATE TABLE threads (id int PRIMARY KEY, board int NOT NULL REFERENCES boards ON DELETE CASCADE, title text, comments int NOT NULL DEFAULT 0 CHECK (comments >= 0), last_comment int);
CREATE TABLE comments (id int PRIMARY KEY, thread int NOT NULL REFERENCES threads ON DELETE CASCADE, parent int REFERENCES comments ON DELETE SET NULL, body text, likes int NOT NULL DEFAULT 0);
CREATE TABLE likes (comment int REFERENCES comments ON DELETE CASCADE, who text, PRIMARY KEY (comment, who));
CREATE FUNCTION count_threads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE boards SET threads = threads + 1 WHERE id = NEW.board;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE boards SET threads = threads - 1 WHERE id = OLD.board;
  ELSIF NEW.board <> OLD.board THEN
    UPDATE boards SET threads = threads - 1, comments = comments - NEW.comments WHERE id = OLD.board;
    UPDATE boards SET threads = threads + 1, comments = comments + NEW.comments WHERE id = NEW.board;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_threads AFTER INSERT OR UPDATE OR DELETE ON threads FOR EACH ROW EXECUTE FUNCTION count_threads();
CREATE FUNCTION count_comments() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_thread int := coalesce(NEW.thread, OLD.thread);
  v_step int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  v_board int;
BEGIN
  UPDATE threads SET comments = comments + v_step, last_comment = (SELECT max(c.id) FROM comments c WHERE c.thread = v_thread) WHERE id = v_thread RETURNING board INTO v_board;
  IF FOUND THEN UPDATE boards SET comments = comments + v_step WHERE id = v_board; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_comments AFTER INSERT OR DELETE ON comments FOR EACH ROW EXECUTE FUNCTION count_comments();
CREATE FUNCTION count_likes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE comments c SET likes = (SELECT count(*) FROM likes l WHERE l.comment = c.id) WHERE c.id IN (NEW.comment, OLD.comment);
  RETURN NULL;
END $$;
CREATE TRIGGER count_likes AFTER INSERT OR UPDATE OR DELETE ON likes FOR EACH ROW EXECUTE FUNCTION count_likes();
INSERT INTO boards VALUES (1, 'news'), (2, 'help');
INSERT INTO threads (id, board, title) VALUES (1, 1, 'hello'), (2, 2, 'how');
INSERT INTO comments (id, thread, parent, body) VALUES (1, 1, NULL, 'a'), (2, 1, 1, 'b'), (3, 2, NULL, 'c');
INSERT INTO likes VALUES (1, 'x'), (1, 'y'), (3, 'x');
-- after each story
SELECT * FROM boards ORDER BY id;
SELECT * FROM threads ORDER BY id;
SELECT * FROM comments ORDER BY id;
SELECT * FROM likes ORDER BY comment, who;
-- story: a day of moderation
INSERT INTO threads (id, board, title) VALUES (3, 1, 'third'), (4, 2, 'fourth') RETURNING id, comments;
INSERT INTO comments (id, thread, parent, body) SELECT g, 1 + g % 3, 1, 'n' || g FROM generate_series(10, 15) g;
INSERT INTO likes VALUES (10, 'z'), (11, 'z') ON CONFLICT DO NOTHING;
INSERT INTO likes VALUES (10, 'z'), (12, 'q') ON CONFLICT DO NOTHING;
UPDATE threads SET board = 2 WHERE id = 1 RETURNING board, comments;
DELETE FROM comments WHERE id = 1;
DELETE FROM likes WHERE who = 'z' RETURNING comment;
BEGIN;
DELETE FROM threads WHERE id = 2;
SELECT id, threads, comments FROM boards ORDER BY id;
ROLLBACK;
UPDATE threads SET comments = -1 WHERE id = 3;
-- story: whole threads go
DELETE FROM comments WHERE thread = 1;
DELETE FROM threads WHERE id = 1;
SELECT id, threads, comments FROM boards ORDER BY id;
