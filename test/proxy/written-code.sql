-- Triggers, functions and blocks write to tables whose defaults, checks and indexes call functions of users.
CREATE SCHEMA auth;
CREATE FUNCTION auth.uid() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('app.sub', true), '')::int $$;
CREATE FUNCTION slug(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT lower($1) $$;
CREATE FUNCTION is_name(text) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN $1 <> 'bad'; END $$;
CREATE TABLE person (id int PRIMARY KEY, name text);
CREATE TABLE account (id int PRIMARY KEY, owner int DEFAULT auth.uid(), name text CHECK (is_name(name)), slug text GENERATED ALWAYS AS (slug(name)) STORED);
CREATE UNIQUE INDEX account_slug ON account (slug);
CREATE INDEX account_name ON account (slug(name));
CREATE TABLE history (id int, change int, name text, by int DEFAULT auth.uid(), PRIMARY KEY (id, change));
CREATE FUNCTION add_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account (id, name) VALUES (NEW.id, NEW.name);
  RETURN NEW;
END $$;
CREATE FUNCTION name_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET name = NEW.name WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO history (id, change, name) VALUES (NEW.id, (SELECT count(*) FROM history h WHERE h.id = NEW.id), NEW.name);
  RETURN NULL;
END $$;
CREATE FUNCTION new_account(new_id int, new_name text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE given int;
BEGIN
  INSERT INTO account (id, name) VALUES (new_id, new_name) RETURNING owner INTO given;
  RETURN given;
END $$;
CREATE TRIGGER add AFTER INSERT ON person FOR EACH ROW EXECUTE FUNCTION add_account();
CREATE TRIGGER rename AFTER UPDATE ON person FOR EACH ROW EXECUTE FUNCTION name_account();
CREATE TRIGGER keep AFTER INSERT OR UPDATE ON account FOR EACH ROW EXECUTE FUNCTION keep_history();
INSERT INTO person VALUES (1, 'One');

-- before each story
SET app.sub = '7';

-- after each story
SELECT * FROM person ORDER BY id;
SELECT * FROM account ORDER BY id;
SELECT * FROM history ORDER BY id, change;

-- story: a trigger inserts
INSERT INTO person VALUES (2, 'Two'), (3, 'Three');
UPDATE person SET name = 'Zwei' WHERE id = 2;

-- story: checks, generated columns and unique indexes refuse what triggers write
INSERT INTO person VALUES (4, 'bad');
INSERT INTO person VALUES (4, 'ONE');
INSERT INTO person VALUES (4, 'Four');
UPDATE person SET name = 'one' WHERE id = 4;
UPDATE person SET name = 'bad' WHERE id = 4;

-- story: functions and blocks
SELECT new_account(20, 'Twenty');
SELECT new_account(21, 'bad');
DO $$ BEGIN INSERT INTO account (id, name) VALUES (22, 'Block'); UPDATE account SET name = 'Blocks' WHERE id = 22; END $$;
SELECT new_account(23, 'BLOCKS');

-- story: in a transaction
BEGIN;
INSERT INTO person VALUES (5, 'Five');
SET LOCAL app.sub = '8';
INSERT INTO person VALUES (6, 'Six');
SELECT new_account(30, 'Thirty');
COMMIT;
