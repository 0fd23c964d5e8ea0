-- Rows that are marked instead of deleted, a view of the rest with rules of its own, unique names among those that live.
CREATE TABLE clock (id int PRIMARY KEY, t timestamptz NOT NULL);
INSERT INTO clock VALUES (1, '2026-01-01 10:00:00+00');
CREATE FUNCTION app_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT t FROM clock';
CREATE TABLE members (id int PRIMARY KEY, email text NOT NULL, name text, deleted_at timestamptz, updated_at timestamptz);
CREATE UNIQUE INDEX members_email ON members (lower(email)) WHERE deleted_at IS NULL;
CREATE TABLE posts (id int PRIMARY KEY, member int NOT NULL REFERENCES members, title text, deleted_at timestamptz);
CREATE VIEW living AS SELECT id, email, name FROM members WHERE deleted_at IS NULL;
CREATE FUNCTION mark_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NOT NULL THEN RETURN OLD; END IF;
  UPDATE posts SET deleted_at = app_now() WHERE member = OLD.id AND deleted_at IS NULL;
  UPDATE members SET deleted_at = app_now() WHERE id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_deleted BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION mark_deleted();
CREATE FUNCTION mark_post() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE posts SET deleted_at = app_now() WHERE id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER mark_post BEFORE DELETE ON posts FOR EACH ROW WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION mark_post();
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at := app_now(); RETURN NEW; END $$;
CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON members FOR EACH ROW EXECUTE FUNCTION touch();
CREATE FUNCTION keep_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NOT NULL THEN
    RAISE EXCEPTION 'member % is deleted', OLD.id USING ERRCODE = 'check_violation', HINT = 'Restore it first.';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_deleted BEFORE UPDATE ON members FOR EACH ROW EXECUTE FUNCTION keep_deleted();
INSERT INTO members (id, email, name) VALUES (1, 'a@x', 'A'), (2, 'b@x', 'B'), (3, 'c@x', 'C');
INSERT INTO posts VALUES (1, 1, 'p1'), (2, 1, 'p2'), (3, 2, 'p3');
-- after each story
SELECT * FROM members ORDER BY id;
SELECT * FROM posts ORDER BY id;
SELECT * FROM living ORDER BY id;
-- story: a day of support
DELETE FROM members WHERE id = 1;
SELECT count(*) FROM living;
INSERT INTO members (id, email, name) VALUES (4, 'A@x', 'again') RETURNING id, updated_at;
INSERT INTO members (id, email, name) VALUES (5, 'B@X', 'twice');
UPDATE members SET name = 'never' WHERE id = 1;
UPDATE members SET deleted_at = NULL WHERE id = 1;
UPDATE living SET name = name || '!' WHERE id > 1 RETURNING *;
INSERT INTO living VALUES (6, 'f@x', 'F') RETURNING *;
DELETE FROM living WHERE id = 2;
DELETE FROM posts WHERE id = 1 RETURNING id;
DELETE FROM posts WHERE id = 1 RETURNING id;
DELETE FROM members;
SELECT id FROM living;
