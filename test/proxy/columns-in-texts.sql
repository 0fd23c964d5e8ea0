-- Texts that EXECUTE runs with the name of a column that is known only then: options by name, sums by column, orders.
DO $$ BEGIN CREATE ROLE in_texts_client; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE TABLE config (only_row int PRIMARY KEY, teams boolean DEFAULT true, "Public Sign-up" boolean DEFAULT false, seats int DEFAULT 2);
INSERT INTO config VALUES (1);
CREATE TABLE accounts (id int PRIMARY KEY, name text, seats int, owner text DEFAULT current_user);
INSERT INTO accounts VALUES (1, 'one', 3), (2, 'two', 1);
CREATE TABLE audit (id int PRIMARY KEY, what text);
CREATE FUNCTION is_set(field text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE result boolean;
BEGIN
  EXECUTE format('SELECT %I FROM public.config LIMIT 1', field) INTO result;
  RETURN result;
END $$;
CREATE FUNCTION total(field text, low int DEFAULT 0) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE format('SELECT sum(%1$I) FROM accounts a WHERE %1$I >= $1 AND name <> %2$L', field, field) INTO n USING low;
  RETURN n;
END $$;
CREATE FUNCTION ordered(by text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY EXECUTE 'SELECT name FROM accounts ORDER BY ' || quote_ident(lower(by)) || ', id'; END $$;
CREATE FUNCTION open_account(p_id int, p_name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_set('teams') THEN RETURN 'closed'; END IF;
  INSERT INTO accounts (id, name, seats) VALUES (p_id, p_name, total('seats'));
  RETURN (SELECT string_agg(o, ' ') FROM ordered('seats') s(o));
END $$;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE format('SELECT count(%I) FROM accounts', TG_ARGV[0] || '') INTO n;
  INSERT INTO audit VALUES (NEW.id, concat(n, ' ', is_set('Public Sign-up')));
  RETURN NULL;
END $$;
CREATE TRIGGER noted AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION note('name');
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON accounts USING (true) WITH CHECK (is_set('teams') OR id < 10);
CREATE FUNCTION raise_seats(field text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  EXECUTE format('UPDATE accounts SET seats = seats + 1 WHERE %I IS NOT NULL', field);
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
GRANT ALL ON config, accounts, audit TO in_texts_client;
CREATE PROCEDURE settle() LANGUAGE plpgsql AS $$ DECLARE field text := 'Public Sign-up'; BEGIN UPDATE config SET seats = total('id') WHERE is_set(field); END $$;

-- before each story
SET ROLE in_texts_client;

-- after each story
SELECT * FROM config;
SELECT * FROM accounts ORDER BY id;
SELECT * FROM audit ORDER BY id;

-- story: options by name
SELECT is_set('teams'), is_set('Public Sign-up'), is_set('seats');
SELECT open_account(3, 'three');
UPDATE config SET "Public Sign-up" = true;
SELECT is_set('Public Sign-up');
INSERT INTO accounts VALUES (4, 'four', 4);
CALL settle();
UPDATE config SET teams = false;
SELECT open_account(5, 'five');
INSERT INTO accounts VALUES (12, 'twelve', 4);
INSERT INTO accounts VALUES (6, 'six', 4);

-- story: sums and orders
SELECT total('seats'), total('id', 2), total('seats', NULL);
SELECT * FROM ordered('NAME');
SELECT * FROM ordered('id');
DELETE FROM accounts WHERE id = 1;
SELECT total('seats'), ordered('name');

-- story: names that are no columns
SELECT is_set('nothing'); -- refused: column "nothing" does not exist
SELECT is_set('teams FROM config; DELETE FROM config; --'); -- refused: column "teams FROM config; DELETE FROM config; --" does not exist
SELECT is_set(NULL);
SELECT total('name'); -- refused: function sum\(text\) does not exist
SELECT is_set('config'); -- refused: cannot stage what a text runs by EXECUTE that names "config" as a column
SELECT is_set('tableoid'); -- refused: names "tableoid" as a column
SELECT is_set('_stage_session'); -- refused: names "_stage_session" as a column
SELECT total('a'); -- refused: names "a" as a column
SELECT total('sum'); -- refused: names "sum" as a column
SELECT raise_seats('name'); -- refused: Function raise_seats\(\) cannot be staged
