-- Triggers that call functions and procedures which write: these run as copies within the copies of the triggers, and what they write is the
-- triggers'.
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0), touched int NOT NULL DEFAULT 0);
INSERT INTO accounts VALUES (1, 100), (2, 50), (3, 0);
CREATE TABLE entries (id int PRIMARY KEY, account int, amount int);
CREATE TABLE journal (n int, what text, PRIMARY KEY (n));
CREATE FUNCTION note(p_what text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v_n int;
BEGIN
  INSERT INTO journal SELECT count(*) + 1, p_what FROM journal RETURNING n INTO v_n;
  RETURN v_n;
END $$;
CREATE FUNCTION post(p_account int, p_amount int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_balance int;
BEGIN
  SELECT balance INTO v_balance FROM accounts WHERE id = p_account FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account %', p_account USING ERRCODE = 'foreign_key_violation'; END IF;
  UPDATE accounts SET balance = v_balance + p_amount WHERE id = p_account;
  IF p_amount > 10 THEN PERFORM note('large ' || p_amount || ' on ' || p_account); END IF;
  RAISE NOTICE 'posted % of %', p_amount, v_balance;
END $$;
CREATE FUNCTION post_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM post(OLD.account, -OLD.amount); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM post(NEW.account, NEW.amount); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER post_entry AFTER INSERT OR UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION post_entry();
CREATE FUNCTION touch_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.touched := OLD.touched + 1; RETURN NEW; END $$;
CREATE TRIGGER touch_account BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION touch_account();

CREATE TABLE counters (year int PRIMARY KEY, n int NOT NULL);
INSERT INTO counters VALUES (2026, 0);
CREATE TABLE invoices (id int PRIMARY KEY, year int DEFAULT 2026, number int UNIQUE, code text);
CREATE FUNCTION next_number(p_year int, OUT number int, OUT code text) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counters c SET n = n + 1 WHERE c.year = p_year RETURNING c.n, c.year || '/' || c.n INTO number, code;
  IF NOT FOUND THEN
    BEGIN
      INSERT INTO counters VALUES (p_year, CASE WHEN p_year > 2000 THEN 1 END);
    EXCEPTION WHEN not_null_violation THEN
      RAISE NOTICE 'no counter for %', p_year;
      RETURN;
    END;
    number := 1; code := p_year || '/1';
  END IF;
END $$;
CREATE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT f.number, f.code INTO NEW.number, NEW.code FROM next_number(NEW.year) f;
  RETURN NEW;
END $$;
CREATE TRIGGER number_invoice BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION number_invoice();

CREATE TABLE credits (id int PRIMARY KEY, uses int NOT NULL DEFAULT 0);
INSERT INTO credits VALUES (1), (2), (3);
CREATE TABLE unused (credit int PRIMARY KEY);
CREATE TABLE works (id int PRIMARY KEY, credit int REFERENCES credits, title text);
CREATE FUNCTION gain(p int) RETURNS void LANGUAGE sql AS 'UPDATE credits SET uses = uses + 1 WHERE id = p; DELETE FROM unused WHERE credit = p';
CREATE PROCEDURE lose(p int, INOUT uses int DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE credits c SET uses = c.uses - 1 WHERE c.id = p RETURNING c.uses INTO lose.uses;
  IF lose.uses = 0 THEN INSERT INTO unused VALUES (p) ON CONFLICT DO NOTHING; END IF;
END $$;
CREATE FUNCTION count_work() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_left int;
BEGIN
  IF TG_OP = 'INSERT' THEN PERFORM gain(NEW.credit);
  ELSIF TG_OP = 'DELETE' THEN CALL lose(OLD.credit, v_left);
  ELSIF NEW.credit IS DISTINCT FROM OLD.credit THEN
    PERFORM gain(NEW.credit);
    CALL lose(OLD.credit, v_left);
    RAISE NOTICE 'left %', v_left;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_work AFTER INSERT OR UPDATE OR DELETE ON works FOR EACH ROW EXECUTE FUNCTION count_work();

CREATE TABLE folders (id int PRIMARY KEY, parent int, files int NOT NULL DEFAULT 0);
INSERT INTO folders VALUES (1, NULL), (2, 1), (3, 2);
CREATE TABLE files (id int PRIMARY KEY, folder int);
CREATE FUNCTION climb(p_folder int, p_by int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v_parent int;
BEGIN
  UPDATE folders SET files = files + p_by WHERE id = p_folder RETURNING parent INTO v_parent;
  IF v_parent IS NULL THEN RETURN 1; END IF;
  RETURN 1 + climb(v_parent, p_by);
END $$;
CREATE FUNCTION count_files() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE r record; v_sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  FOR r IN SELECT folder, count(*)::int AS n FROM changed GROUP BY folder ORDER BY folder LOOP
    RAISE NOTICE 'climbed % of %', climb(r.folder, v_sign * r.n), r.folder;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER count_new AFTER INSERT ON files REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_files();
CREATE TRIGGER count_old AFTER DELETE ON files REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_files();

CREATE SCHEMA aside;
CREATE TABLE aside.kept (id int PRIMARY KEY, body text);
CREATE FUNCTION aside.keep(p_id int, p_body text) RETURNS void LANGUAGE plpgsql SET search_path = aside AS $$
BEGIN
  INSERT INTO kept AS k VALUES (p_id, p_body) ON CONFLICT (id) DO UPDATE SET body = k.body || excluded.body;
END $$;
CREATE TABLE pages (id int PRIMARY KEY, body text);
INSERT INTO pages SELECT g, 'Page ' || g FROM generate_series(1, 4) g;
CREATE FUNCTION keep_page() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM aside.keep(OLD.id, OLD.body);
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_page BEFORE UPDATE OR DELETE ON pages FOR EACH ROW EXECUTE FUNCTION keep_page();

-- after each story
SELECT * FROM accounts ORDER BY id;
SELECT * FROM entries ORDER BY id;
SELECT * FROM journal ORDER BY n;
SELECT * FROM counters ORDER BY year;
SELECT * FROM invoices ORDER BY id;
SELECT * FROM credits ORDER BY id;
SELECT * FROM unused ORDER BY credit;
SELECT * FROM works ORDER BY id;
SELECT * FROM folders ORDER BY id;
SELECT * FROM aside.kept ORDER BY id;
SELECT * FROM pages ORDER BY id;

-- story: entries are posted to locked accounts
INSERT INTO entries VALUES (1, 1, 5), (2, 2, 20);
INSERT INTO entries VALUES (3, 1, 30) RETURNING *;
UPDATE entries SET amount = 6 WHERE id = 1;
UPDATE entries SET account = 3 WHERE id = 2;
DELETE FROM entries WHERE id = 3;
INSERT INTO entries VALUES (4, 9, 1);
INSERT INTO entries VALUES (5, 3, -99);
BEGIN;
INSERT INTO entries VALUES (6, 1, 40);
SAVEPOINT a;
INSERT INTO entries VALUES (7, 3, -99);
ROLLBACK TO a;
INSERT INTO entries VALUES (8, 2, 41);
COMMIT;
BEGIN; DELETE FROM entries; ROLLBACK;

-- story: numbers are drawn before rows are inserted
INSERT INTO invoices (id) VALUES (1), (2) RETURNING number, code;
INSERT INTO invoices (id, year) VALUES (3, 2027), (4, 2027) RETURNING number, code;
INSERT INTO invoices (id, year) VALUES (5, 1999) RETURNING number, code;
INSERT INTO invoices (id) VALUES (1);
INSERT INTO invoices (id) VALUES (6) RETURNING code;

-- story: uses are counted by procedures and functions in SQL
INSERT INTO works VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c');
UPDATE works SET credit = 3 WHERE id = 3;
UPDATE works SET credit = 2 WHERE credit = 1;
DELETE FROM works WHERE id = 1;
INSERT INTO works VALUES (4, NULL, 'd'), (5, 1, 'e');
DELETE FROM works WHERE id IN (2, 5);
UPDATE works SET credit = 9 WHERE id = 3;

-- story: sums climb to the top
INSERT INTO files SELECT g, 1 + g % 3 FROM generate_series(1, 6) g;
DELETE FROM files WHERE id IN (2, 5);
INSERT INTO files VALUES (7, 3);
DELETE FROM files WHERE id > 99;

-- story: bodies are kept by a function with a path of its own
UPDATE pages SET body = 'New' WHERE id IN (1, 2);
UPDATE pages SET body = 'Newer' WHERE id = 1;
DELETE FROM pages WHERE id IN (1, 3);
