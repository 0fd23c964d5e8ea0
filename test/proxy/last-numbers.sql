-- lastval(): the number that the client has drawn last, whichever way, and whatever the service draws in its connection.
CREATE TABLE orders (id serial PRIMARY KEY, note text);
CREATE TABLE lines (id int GENERATED ALWAYS AS IDENTITY (START 100) PRIMARY KEY, "order" bigint, n int);
CREATE TABLE plain (id int PRIMARY KEY, n bigint);
INSERT INTO plain SELECT i, i FROM generate_series(1, 5) i;
CREATE SEQUENCE numbers START 1000;
CREATE SEQUENCE going START 7000;
CREATE TABLE tickets (code text PRIMARY KEY DEFAULT 'T' || nextval('numbers'), n int);
CREATE FUNCTION last_number() RETURNS bigint LANGUAGE sql AS 'SELECT lastval()';
CREATE FUNCTION last_number_in_block() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN pg_catalog.lastval(); END';
CREATE FUNCTION draw() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN nextval('numbers'); END $$;
CREATE FUNCTION draw_by_text() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v bigint;
BEGIN
  EXECUTE 'SELECT nextval(''numbers'')' INTO v;
  RETURN v;
END $$;
CREATE FUNCTION add_order(p_note text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO orders (note) VALUES (p_note);
  INSERT INTO lines ("order", n) VALUES (lastval(), 1), (lastval(), 2);
  UPDATE plain SET n = lastval() WHERE id = 1;
  RETURN lastval();
END $$;
CREATE PROCEDURE call_order(INOUT p_id bigint) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO orders (note) VALUES ('called');
  UPDATE plain SET n = n + 1 WHERE id = 2;
  p_id := lastval();
END $$;
CREATE TABLE logged (id int PRIMARY KEY, n bigint, previous bigint);
CREATE TABLE log (id bigserial PRIMARY KEY, what text);
CREATE FUNCTION number_it() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.n := nextval('numbers');
  NEW.previous := lastval();
  RETURN NEW;
END $$;
CREATE TRIGGER number_it BEFORE INSERT ON logged FOR EACH ROW EXECUTE FUNCTION number_it();
CREATE FUNCTION log_it() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log (what) VALUES (TG_OP || lastval());
  RETURN NULL;
END $$;
CREATE TRIGGER log_it AFTER INSERT OR UPDATE ON logged FOR EACH ROW EXECUTE FUNCTION log_it();
CREATE VIEW last_view AS SELECT lastval() AS n;
CREATE TABLE by_default (id int PRIMARY KEY, n bigint DEFAULT lastval());
CREATE FUNCTION last_of_view() RETURNS void LANGUAGE sql AS 'UPDATE plain SET n = (SELECT n FROM last_view) WHERE id = 1';
-- story: nothing is drawn yet
SELECT lastval();
UPDATE plain SET n = 10 WHERE id = 1;
SELECT lastval();
SELECT lastval(), nonsense;
INSERT INTO plain VALUES (6, lastval());
SELECT last_number();
-- story: after INSERT
INSERT INTO orders (note) VALUES ('one');
SELECT lastval();
SELECT pg_catalog.lastval() AS mine, lastval() + 1 FROM plain WHERE id < 3;
INSERT INTO orders (note) VALUES ('two'), ('three') RETURNING id, lastval();
UPDATE plain SET n = 20 WHERE id = 2;
INSERT INTO orders (note) VALUES ('another') RETURNING id, lastval();
INSERT INTO orders (note) VALUES ('one more') RETURNING id, lastval();
DELETE FROM plain WHERE id = 3;
INSERT INTO plain VALUES (7, lastval()), (8, lastval());
SELECT lastval(), (SELECT max(n) FROM plain);
INSERT INTO lines ("order", n) SELECT lastval(), 1 RETURNING id, n, lastval();
SELECT LASTVAL ( );
INSERT INTO orders VALUES (50, 'given');
INSERT INTO lines OVERRIDING SYSTEM VALUE VALUES (50, 50, 50);
SELECT lastval();
INSERT INTO orders (note) SELECT 'row ' || i FROM generate_series(1, 30) i;
SELECT lastval(), currval('orders_id_seq');
INSERT INTO orders DEFAULT VALUES;
SELECT * FROM lastval();
INSERT INTO tickets (n) VALUES (1), (2) RETURNING code, lastval();
SELECT lastval();
SELECT l, lastval() FROM lastval() l JOIN plain p ON p.id = 1 WHERE lastval() > 0 GROUP BY lastval(), l ORDER BY lastval();
-- story: after nextval()
SELECT nextval('numbers');
UPDATE plain SET n = 21 WHERE id = 2;
SELECT lastval(), currval('numbers');
INSERT INTO plain VALUES (6, nextval('numbers')), (7, nextval('numbers')) RETURNING n, lastval();
SELECT lastval();
UPDATE plain SET n = nextval('numbers') WHERE id IN (4, 5) RETURNING lastval() = n;
SELECT lastval();
UPDATE orders SET id = DEFAULT WHERE id = 1;
SELECT lastval();
WITH drawn AS (SELECT nextval('numbers') AS n) INSERT INTO plain SELECT 8, n FROM drawn;
SELECT lastval();
SELECT nextval('orders_id_seq'), lastval(), nextval('numbers'), lastval();
UPDATE plain SET n = 22 WHERE id = 2;
SELECT lastval();
SELECT nextval(NULL::regclass);
SELECT nextval('nowhere');
SELECT lastval();
INSERT INTO plain VALUES (2, 0) ON CONFLICT (id) DO UPDATE SET n = nextval('numbers') + lastval() * 0;
SELECT lastval();
INSERT INTO plain VALUES (2, 0) ON CONFLICT (id) DO UPDATE SET n = lastval() WHERE lastval() > 0;
SELECT lastval(), n FROM plain WHERE id = 2;
-- story: in code of users
SELECT add_order('by a function');
SELECT lastval();
SELECT last_number(), last_number_in_block();
INSERT INTO plain VALUES (9, last_number()), (10, last_number_in_block());
SELECT draw();
UPDATE plain SET n = 23 WHERE id = 3;
SELECT lastval(), last_number();
SELECT draw_by_text();
UPDATE plain SET n = 24 WHERE id = 3;
SELECT lastval();
CALL call_order(0);
SELECT lastval();
DO $$ BEGIN INSERT INTO orders (note) VALUES ('in a block'); UPDATE plain SET n = lastval() WHERE id = 4; END $$;
SELECT lastval(), n FROM plain WHERE id = 4;
BEGIN;
INSERT INTO logged VALUES (1), (2) RETURNING *, lastval();
SELECT lastval();
UPDATE logged SET n = 0 RETURNING lastval();
SELECT lastval();
SELECT * FROM log;
ROLLBACK;
SELECT lastval();
-- story: whatever becomes of the transaction
BEGIN;
INSERT INTO orders (note) VALUES ('a');
SELECT lastval();
SAVEPOINT one;
INSERT INTO lines (n) VALUES (1);
ROLLBACK TO one;
SELECT lastval();
INSERT INTO orders (note) VALUES ('b');
UPDATE plain SET n = 30 WHERE id = 1;
ROLLBACK;
SELECT lastval();
INSERT INTO orders (id, note) VALUES (DEFAULT, NULL), (1, 'taken'), (1, 'taken twice');
SELECT lastval();
BEGIN;
INSERT INTO lines (n) VALUES (1);
COMMIT;
SELECT lastval();
DISCARD SEQUENCES;
SELECT lastval();
UPDATE plain SET n = 31 WHERE id = 1;
SELECT lastval();
INSERT INTO lines (n) VALUES (1);
SELECT lastval();
DISCARD ALL;
SELECT lastval();
-- story: of two connections
INSERT INTO orders (note) VALUES ('mine');
SELECT lastval(); -- by other
INSERT INTO lines (n) VALUES (1); -- by other
SELECT lastval(); -- by other
UPDATE plain SET n = 40 WHERE id = 1;
SELECT lastval();
SELECT lastval(); -- by other
-- story: of a sequence that is dropped
SELECT nextval('going');
UPDATE plain SET n = 50 WHERE id = 1;
SELECT lastval();
DROP SEQUENCE going; -- in production
SELECT lastval();
UPDATE plain SET n = 51 WHERE id = 1;
SELECT lastval();
CREATE SEQUENCE going START 7000; -- in production
-- story: of a temporary table
CREATE TEMPORARY TABLE mine (id serial, n int);
INSERT INTO orders (note) VALUES ('before');
SELECT lastval();
INSERT INTO mine (n) VALUES (1), (2);
SELECT lastval();
UPDATE plain SET n = 60 WHERE id = 1;
SELECT lastval();
INSERT INTO orders (note) SELECT n FROM mine;
SELECT lastval();
UPDATE plain SET n = 61 WHERE id = 1;
SELECT lastval();
INSERT INTO mine (n) VALUES (3);
DROP TABLE mine;
SELECT lastval();
-- story: in other statements
INSERT INTO orders (note) VALUES ('before');
PREPARE lastly AS SELECT lastval(), $1::int;
PREPARE adding AS INSERT INTO plain VALUES ($1, lastval()) RETURNING n;
EXECUTE lastly(1);
EXECUTE adding(20);
EXECUTE lastly(2);
SELECT name, statement FROM pg_prepared_statements WHERE name = 'lastly';
BEGIN;
DECLARE held CURSOR FOR SELECT lastval() FROM plain;
FETCH held;
COMMIT;
COPY (SELECT lastval()) TO STDOUT;
WITH new AS (INSERT INTO orders (note) VALUES ('with') RETURNING id) SELECT id, lastval() FROM new;
SELECT lastval();
SELECT lastval() FROM plain WHERE id = 1 FOR UPDATE;
BEGIN READ ONLY;
SELECT lastval();
ROLLBACK;
CREATE TEMPORARY TABLE kept AS SELECT lastval() AS n;
SELECT * FROM kept;
MERGE INTO plain p USING (VALUES (1), (30)) v (id) ON p.id = v.id WHEN MATCHED THEN UPDATE SET n = lastval() WHEN NOT MATCHED THEN INSERT VALUES (v.id, nextval('numbers'));
SELECT lastval();
SELECT id, n FROM plain WHERE id IN (1, 30);
EXECUTE lastly(lastval()::int); -- refused: 0A000
SELECT * FROM last_view; -- refused: 0A000
INSERT INTO plain SELECT 40, n FROM last_view; -- refused: 0A000
INSERT INTO by_default (id) VALUES (1); -- refused: 0A000
SELECT last_of_view(); -- refused: 25006
