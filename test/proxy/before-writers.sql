-- BEFORE ROW triggers that write: rows that they write are staged, and production's triggers write them once more at approval, or approval does
-- where the row is suppressed for which they fire.
CREATE TABLE docs (id int PRIMARY KEY, title text CHECK (title <> 'bad'), version int NOT NULL DEFAULT 1);
INSERT INTO docs SELECT g, 'Title ' || g FROM generate_series(1, 6) g;
CREATE TABLE doc_versions (doc int, version int, title text, seen bigint, PRIMARY KEY (doc, version));
CREATE FUNCTION keep_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO doc_versions VALUES (OLD.id, OLD.version, OLD.title, (SELECT count(*) FROM doc_versions));
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_version BEFORE UPDATE OR DELETE ON docs FOR EACH ROW EXECUTE FUNCTION keep_version();
CREATE TABLE doc_log (doc int, what text, n bigint, PRIMARY KEY (doc, n));
CREATE FUNCTION log_doc() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO doc_log (doc, what, n) VALUES (NEW.id, TG_WHEN || ' ' || TG_OP, (SELECT count(*) FROM doc_versions));
  RAISE NOTICE 'logged % %', NEW.id, (SELECT count(*) FROM doc_log);
  RETURN NEW;
END $$;
CREATE TRIGGER log_doc AFTER UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION log_doc();
CREATE TABLE counters (year int PRIMARY KEY, n int NOT NULL CHECK (n < 100));
INSERT INTO counters VALUES (2025, 7), (2026, 0);
CREATE TABLE invoices (id int PRIMARY KEY, year int DEFAULT 2026, number int NOT NULL UNIQUE, total numeric);
CREATE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counters SET n = n + 1 WHERE year = NEW.year RETURNING n INTO NEW.number;
  IF NOT FOUND THEN RAISE EXCEPTION 'no counter for %', NEW.year; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER number_invoice BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION number_invoice();
CREATE TABLE lines (id int PRIMARY KEY, invoice int REFERENCES invoices ON DELETE CASCADE, amount int);
CREATE TABLE removed (line int, times int NOT NULL DEFAULT 1, PRIMARY KEY (line));
CREATE FUNCTION keep_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO removed AS r VALUES (OLD.id) ON CONFLICT (line) DO UPDATE SET times = r.times + 1;
  RETURN OLD;
END $$;
CREATE TRIGGER keep_removed BEFORE DELETE ON lines FOR EACH ROW EXECUTE FUNCTION keep_removed();
CREATE TABLE posts (id int PRIMARY KEY, title text, deleted boolean NOT NULL DEFAULT false, touched int NOT NULL DEFAULT 0);
INSERT INTO posts SELECT g, 'Post ' || g FROM generate_series(1, 5) g;
CREATE FUNCTION soft_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE posts SET deleted = true WHERE id = OLD.id;
  IF OLD.id = 5 THEN RETURN OLD; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER soft_delete BEFORE DELETE ON posts FOR EACH ROW EXECUTE FUNCTION soft_delete();
CREATE FUNCTION touch_post() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.touched := OLD.touched + 1; RETURN NEW; END $$;
CREATE TRIGGER touch_post BEFORE UPDATE ON posts FOR EACH ROW EXECUTE FUNCTION touch_post();
CREATE FUNCTION tell_post() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% %', TG_OP, NEW.id; RETURN NULL; END $$;
CREATE TRIGGER tell_post AFTER UPDATE ON posts FOR EACH ROW EXECUTE FUNCTION tell_post();
CREATE TABLE addresses (id int PRIMARY KEY, person int, is_default boolean);
INSERT INTO addresses VALUES (1, 1, true), (2, 1, false), (3, 2, true);
CREATE FUNCTION one_default() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.is_default THEN UPDATE addresses SET is_default = false WHERE person = NEW.person AND is_default; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER one_default BEFORE INSERT ON addresses FOR EACH ROW EXECUTE FUNCTION one_default();
CREATE TABLE accounts (id int PRIMARY KEY, balance int, is_locked boolean NOT NULL DEFAULT false);
INSERT INTO accounts VALUES (1, 10, false), (2, 20, false), (3, 30, true);
CREATE TABLE attempts (account int, nth int, by_trigger text, PRIMARY KEY (account, nth));
CREATE FUNCTION note_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO attempts SELECT coalesce(NEW.id, OLD.id), count(*) + 1, TG_NAME || ' ' || TG_OP FROM attempts a WHERE a.account = coalesce(NEW.id, OLD.id);
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER a_note BEFORE INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION note_attempt();
CREATE FUNCTION keep_locked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.is_locked THEN RETURN NULL; END IF;
  IF TG_OP <> 'DELETE' AND NEW.balance < 0 THEN RAISE EXCEPTION 'below zero after % attempts', (SELECT count(*) FROM attempts); END IF;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER b_locked BEFORE INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION keep_locked();
CREATE TABLE pairs (id int PRIMARY KEY, n int);
INSERT INTO pairs SELECT g, g FROM generate_series(1, 6) g;
CREATE FUNCTION other_of_pair() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN DELETE FROM pairs WHERE id = OLD.id + NEW.n % 2; RETURN NEW; END $$;
CREATE TRIGGER other_of_pair BEFORE UPDATE ON pairs FOR EACH ROW WHEN (NEW.n > 10) EXECUTE FUNCTION other_of_pair();

-- after each story
SELECT * FROM docs ORDER BY id;
SELECT * FROM doc_versions ORDER BY doc, version;
SELECT doc, what, n FROM doc_log ORDER BY doc, n;
SELECT * FROM counters ORDER BY year;
SELECT * FROM invoices ORDER BY id;
SELECT * FROM removed ORDER BY line;
SELECT * FROM posts ORDER BY id;
SELECT * FROM addresses ORDER BY id;
SELECT * FROM accounts ORDER BY id;
SELECT * FROM attempts ORDER BY account, nth;
SELECT * FROM pairs ORDER BY id;

-- story: versions are kept before rows change
UPDATE docs SET title = 'New' WHERE id = 1 RETURNING *;
UPDATE docs SET title = 'Newer' WHERE id = 1;
UPDATE docs SET title = title || '!' WHERE id IN (2, 3);
DELETE FROM docs WHERE id = 3;
UPDATE docs SET title = 'bad' WHERE id = 2;
BEGIN;
UPDATE docs SET title = 'x' WHERE id = 4;
SAVEPOINT a;
UPDATE docs SET title = 'bad' WHERE id = 4;
ROLLBACK TO a;
UPDATE docs SET title = 'y' WHERE id = 4;
COMMIT;
BEGIN; DELETE FROM docs WHERE id = 4; ROLLBACK;
UPDATE docs d SET title = 'joined ' || v.n FROM (VALUES (5, 1), (5, 1)) v (id, n) WHERE v.id = d.id;
UPDATE docs SET id = 60 WHERE id = 6;
WITH u AS (UPDATE docs SET title = 'with' WHERE id = 1 RETURNING id) DELETE FROM docs WHERE id = 2 RETURNING (SELECT id FROM u);
MERGE INTO docs d USING (VALUES (1, 'm'), (70, 'n')) v (id, t) ON v.id = d.id WHEN MATCHED THEN UPDATE SET title = v.t WHEN NOT MATCHED THEN INSERT (id, title) VALUES (v.id, v.t);
INSERT INTO docs VALUES (1, 'up') ON CONFLICT (id) DO UPDATE SET title = excluded.title RETURNING *;

-- story: numbers are counted before rows are inserted
INSERT INTO invoices (id, total) VALUES (1, 10), (2, 20) RETURNING number;
INSERT INTO invoices (id, year) VALUES (3, 2025) RETURNING number;
INSERT INTO invoices (id, year) VALUES (4, 1999);
INSERT INTO invoices (id) VALUES (1);
INSERT INTO invoices (id) SELECT g FROM generate_series(10, 12) g;
UPDATE counters SET n = 99 WHERE year = 2025;
INSERT INTO invoices (id, year) VALUES (5, 2025);
INSERT INTO lines SELECT g, 1 + g % 2, g FROM generate_series(1, 4) g;
DELETE FROM lines WHERE id = 1;
INSERT INTO lines VALUES (1, 2, 7);
DELETE FROM invoices WHERE id = 2;

-- story: rows are kept that a trigger suppresses, with what it writes
DELETE FROM posts WHERE id IN (1, 2);
UPDATE posts SET title = 'Again' WHERE id = 1;
DELETE FROM posts WHERE id = 1;
DELETE FROM posts WHERE id = 5;
INSERT INTO posts VALUES (6, 'Six');
DELETE FROM posts WHERE id = 6 RETURNING id;
BEGIN; DELETE FROM posts WHERE id = 3; ROLLBACK;

-- story: other rows of the table are changed
INSERT INTO addresses VALUES (4, 1, true);
INSERT INTO addresses VALUES (5, 2, true), (6, 2, false), (7, 2, true);
UPDATE addresses SET person = 3 WHERE id = 4;

-- story: attempts are noted, whatever becomes of the row
UPDATE accounts SET balance = balance + 1 WHERE id = 1;
UPDATE accounts SET balance = balance + 1;
DELETE FROM accounts WHERE id = 3;
DELETE FROM accounts WHERE id = 2;
UPDATE accounts SET balance = -1 WHERE id = 1;
INSERT INTO accounts VALUES (4, 4), (5, 5);
INSERT INTO accounts VALUES (4, 40) ON CONFLICT (id) DO UPDATE SET balance = excluded.balance;
INSERT INTO accounts VALUES (4, 40), (6, 6) ON CONFLICT DO NOTHING;
INSERT INTO accounts VALUES (3, 1) ON CONFLICT (id) DO UPDATE SET balance = 1;

-- story: a row that a trigger has changed is not changed again by the statement
UPDATE pairs SET n = 11 WHERE id IN (1, 2);
UPDATE pairs SET n = 12 WHERE id = 1;
UPDATE pairs SET n = 13 WHERE id = 3;
