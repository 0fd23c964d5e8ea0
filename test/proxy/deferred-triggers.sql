-- Deferrable constraint triggers: they fire at COMMIT, or at the end of the statement where SET CONSTRAINTS makes them immediate.
CREATE TABLE lines (id int PRIMARY KEY, entry int NOT NULL, amount int NOT NULL, note text);
INSERT INTO lines VALUES (1, 1, 10), (2, 1, -10);
CREATE FUNCTION balanced() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE total int := (SELECT sum(amount) FROM lines WHERE entry = coalesce(NEW.entry, OLD.entry));
BEGIN
  RAISE NOTICE '% of % by % at %: %, was %', TG_OP, TG_NAME, current_user = session_user, pg_trigger_depth(), NEW, OLD;
  IF total <> 0 THEN RAISE EXCEPTION 'entry % is not balanced: %', coalesce(NEW.entry, OLD.entry), total USING ERRCODE = '23514'; END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER balanced AFTER INSERT OR UPDATE OF amount OR DELETE ON lines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balanced();
CREATE TABLE stocks (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO stocks VALUES (1, 5), (2, 5);
CREATE FUNCTION in_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT n FROM stocks WHERE id = NEW.id) < 0 THEN RAISE EXCEPTION 'out of stock: %', NEW; END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER a_in_stock AFTER UPDATE ON stocks DEFERRABLE FOR EACH ROW WHEN (NEW.n < OLD.n) EXECUTE FUNCTION in_stock();
CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% %', TG_NAME, NEW; RETURN NULL; END $$;
CREATE TRIGGER b_say AFTER UPDATE ON stocks FOR EACH ROW EXECUTE FUNCTION say();

-- after each story
SELECT * FROM lines ORDER BY id;
SELECT * FROM stocks ORDER BY id;

-- story: at the end of a transaction
BEGIN;
INSERT INTO lines VALUES (3, 2, 5), (4, 3, 0);
UPDATE lines SET note = 'x' WHERE id = 1;
INSERT INTO lines VALUES (5, 2, -5);
SELECT count(*) FROM lines;
COMMIT;
BEGIN;
UPDATE lines SET amount = 6 WHERE id = 3;
COMMIT;
BEGIN;
DELETE FROM lines WHERE id = 1;
DELETE FROM lines WHERE id = 2;
COMMIT;
SELECT id FROM lines ORDER BY 1;

-- story: at the end of a statement
INSERT INTO lines VALUES (6, 4, 1);
INSERT INTO lines VALUES (6, 4, 1), (7, 4, -1);
UPDATE lines SET amount = amount * 2 WHERE entry = 4;
UPDATE lines SET amount = amount * 2 WHERE id = 6;
DELETE FROM lines WHERE id = 6;
INSERT INTO lines VALUES (6, 4, 3), (8, 4, -3) ON CONFLICT (id) DO UPDATE SET amount = 3;
INSERT INTO lines VALUES (6, 4, 3), (8, 4, 0) ON CONFLICT (id) DO NOTHING;
SELECT id, amount FROM lines ORDER BY 1;

-- story: savepoints
BEGIN;
INSERT INTO lines VALUES (16, 14, 1);
SAVEPOINT a;
INSERT INTO lines VALUES (17, 15, 1);
ROLLBACK TO a;
INSERT INTO lines VALUES (18, 14, -1);
COMMIT;

-- story: SET CONSTRAINTS ALL
BEGIN;
INSERT INTO lines VALUES (26, 24, 1);
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
BEGIN;
INSERT INTO lines VALUES (26, 24, 1), (27, 24, -1);
SET CONSTRAINTS ALL IMMEDIATE;
INSERT INTO lines VALUES (28, 24, 1), (29, 24, -1);
INSERT INTO lines VALUES (30, 24, 1);
ROLLBACK;
BEGIN;
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO lines VALUES (26, 24, 1);
INSERT INTO lines VALUES (27, 24, -1);
COMMIT;

-- story: constraints by name
BEGIN;
SET CONSTRAINTS balanced IMMEDIATE;
INSERT INTO lines VALUES (36, 34, 1), (37, 34, -1);
INSERT INTO lines VALUES (38, 34, 1);
ROLLBACK;
BEGIN;
SET CONSTRAINTS a_in_stock DEFERRED;
UPDATE stocks SET n = n - 10 WHERE id = 1;
UPDATE stocks SET n = n + 10 WHERE id = 1;
COMMIT;
BEGIN;
SET CONSTRAINTS a_in_stock DEFERRED;
UPDATE stocks SET n = n - 10 WHERE id = 1;
COMMIT;

-- story: immediate unless they are deferred
UPDATE stocks SET n = n - 10 WHERE id = 2;
UPDATE stocks SET n = n - 1 WHERE id = 2;
