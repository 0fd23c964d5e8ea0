-- Triggers that insert rows to which foreign keys refer, and rows that foreign keys with actions bind to others.
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL UNIQUE);
INSERT INTO users VALUES (1, 'ann@x');
CREATE TABLE profiles (id int PRIMARY KEY REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE, name text NOT NULL, posts int NOT NULL DEFAULT 0);
INSERT INTO profiles VALUES (1, 'ann');
CREATE TABLE settings (profile int PRIMARY KEY REFERENCES profiles ON DELETE CASCADE, dark boolean DEFAULT false);
INSERT INTO settings VALUES (1);
CREATE TABLE posts (id int PRIMARY KEY, author int NOT NULL REFERENCES profiles ON DELETE CASCADE, title text);
CREATE TABLE likes (post int REFERENCES posts, profile int REFERENCES profiles, PRIMARY KEY (post, profile));
CREATE FUNCTION new_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO profiles (id, name) VALUES (NEW.id, split_part(NEW.email, '@', 1));
  RETURN NEW;
END $$;
CREATE TRIGGER new_user AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION new_user();
CREATE FUNCTION new_profile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO settings VALUES (NEW.id, NEW.name = 'cat');
  RETURN NULL;
END $$;
CREATE TRIGGER new_profile AFTER INSERT ON profiles FOR EACH ROW EXECUTE FUNCTION new_profile();
CREATE FUNCTION count_posts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE profiles SET posts = posts + 1 WHERE id = NEW.author;
  RETURN NULL;
END $$;
CREATE TRIGGER count_posts AFTER INSERT ON posts FOR EACH ROW EXECUTE FUNCTION count_posts();

CREATE TABLE groups (name text PRIMARY KEY, kind text);
INSERT INTO groups VALUES ('first', 'old');
CREATE TABLE members (id int PRIMARY KEY, grp text NOT NULL REFERENCES groups);
CREATE TABLE badges (id int PRIMARY KEY, grp text REFERENCES groups ON UPDATE CASCADE, person int REFERENCES members ON DELETE SET NULL);
CREATE FUNCTION ensure_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO groups VALUES (NEW.grp, TG_OP) ON CONFLICT DO NOTHING;
  RETURN NEW;
END $$;
CREATE TRIGGER ensure_group BEFORE INSERT OR UPDATE ON members FOR EACH ROW EXECUTE FUNCTION ensure_group();

-- after each story
SELECT * FROM users ORDER BY id;
SELECT * FROM profiles ORDER BY id;
SELECT * FROM settings ORDER BY profile;
SELECT * FROM posts ORDER BY id;
SELECT * FROM likes ORDER BY post, profile;
SELECT * FROM groups ORDER BY name;
SELECT * FROM members ORDER BY id;
SELECT * FROM badges ORDER BY id;

-- story: what a client inserts refers to rows of triggers
INSERT INTO users VALUES (2, 'bob@x'), (3, 'cat@x');
INSERT INTO posts VALUES (1, 2, 'by bob'), (2, 3, 'by cat'), (3, 1, 'by ann');
INSERT INTO posts VALUES (4, 9, 'by nobody');
INSERT INTO likes VALUES (1, 3), (2, 2), (3, 2);
INSERT INTO users VALUES (2, 'bob@y');
BEGIN;
INSERT INTO users VALUES (4, 'dan@x');
INSERT INTO posts VALUES (5, 4, 'by dan');
ROLLBACK;
INSERT INTO posts VALUES (5, 4, 'by dan');
BEGIN;
INSERT INTO users VALUES (5, 'eve@x');
SAVEPOINT a;
INSERT INTO posts VALUES (6, 5, 'by eve');
ROLLBACK TO a;
INSERT INTO posts VALUES (7, 5, 'by eve');
COMMIT;
WITH u AS (INSERT INTO users VALUES (6, 'fay@x') RETURNING id) INSERT INTO posts SELECT 10 + id, 1, 'of ' || id FROM u;
UPDATE posts SET author = 6 WHERE id = 16;
DELETE FROM posts WHERE id = 7;

-- story: rows of groups that triggers insert first
INSERT INTO members VALUES (1, 'first'), (2, 'second'), (3, 'second');
INSERT INTO badges VALUES (1, 'second', 2), (2, 'first', 1);
INSERT INTO badges VALUES (3, 'third', 1);
UPDATE members SET grp = 'third' WHERE id = 3;
INSERT INTO badges VALUES (3, 'third', 3);
DELETE FROM members WHERE id = 1;
UPDATE badges SET grp = 'third' WHERE id = 1;
UPDATE groups SET name = 'other' WHERE name = 'first';

-- story: rows of triggers are removed and given other keys with those to which they refer
INSERT INTO users VALUES (20, 'eve@x'), (21, 'fay@x');
INSERT INTO posts VALUES (20, 20, 'by eve'), (21, 21, 'by fay'), (22, 1, 'by ann');
UPDATE users SET id = 22 WHERE id = 20;
UPDATE posts SET title = title || '!' WHERE author = 22;
DELETE FROM users WHERE id = 21;
DELETE FROM users WHERE id = 22 RETURNING *;
INSERT INTO users VALUES (21, 'gus@x');
TRUNCATE likes, posts, settings, profiles, users;
INSERT INTO users VALUES (21, 'hal@x');
