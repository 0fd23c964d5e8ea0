-- Reads of tables in which the session has staged nothing pass as they are; those of others show what is staged.
CREATE TABLE parent (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE, n int NOT NULL);
CREATE TABLE logged (id int PRIMARY KEY, n int);
CREATE TABLE other (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE pair (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE protected (id int PRIMARY KEY, n int NOT NULL);
CREATE VIEW seen AS SELECT p.id, p.n, c.n AS m FROM parent p LEFT JOIN child c ON c.parent = p.id;
CREATE FUNCTION count_child() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM child';
CREATE FUNCTION log_parent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO logged VALUES (NEW.id, NEW.n); RETURN NULL; END $$;
CREATE TRIGGER log AFTER INSERT ON parent FOR EACH ROW EXECUTE FUNCTION log_parent();
INSERT INTO parent VALUES (1, 0), (2, 2), (3, 3);
INSERT INTO child VALUES (10, 1, 0), (20, 2, 2);
INSERT INTO other VALUES (1, 0), (2, 1);
INSERT INTO pair VALUES (1, 0);
INSERT INTO protected VALUES (1, 0), (2, 1);

-- before each story
SELECT p.id, c.id, o.id FROM parent p JOIN child c ON c.parent = p.id JOIN other o ON o.id = p.id ORDER BY 1, 2, 3;
SELECT * FROM child ORDER BY id; SELECT * FROM parent ORDER BY id; SELECT * FROM logged; SELECT * FROM pair; SELECT * FROM protected ORDER BY id;

-- story: the first rows of a table are seen by the next read
INSERT INTO other VALUES (3, 3);
SELECT * FROM other ORDER BY id;
SELECT p.id, o.id FROM parent p JOIN other o ON o.id = p.id ORDER BY 1;

-- story: and in a transaction
BEGIN;
SELECT n FROM other ORDER BY id;
UPDATE other SET n = 7 WHERE id = 1;
SELECT n FROM other ORDER BY id;
SELECT n FROM pair;
ROLLBACK;
SELECT n FROM other ORDER BY id;
BEGIN;
SELECT sum(n) FROM other;
DELETE FROM other WHERE id = 1;
SELECT sum(n) FROM other;
COMMIT;
SELECT sum(n) FROM other;

-- story: rows that only foreign keys have changed
DELETE FROM parent WHERE id = 1;
SELECT * FROM child ORDER BY id;
SELECT count(*) FROM child c JOIN other o ON o.id = c.parent;

-- story: the same in a transaction, where production's rows would fail
BEGIN;
UPDATE parent SET n = 1 WHERE id = 1;
SELECT 1 / n AS n FROM parent WHERE id = 1;
DELETE FROM parent WHERE id = 1;
SELECT count(*) FROM child WHERE n = 0;
COMMIT;

-- story: rows that only triggers have written
INSERT INTO parent VALUES (4, 44);
SELECT n FROM logged;

-- story: views and functions over tables of both kinds
UPDATE child SET n = n + 1;
SELECT * FROM seen ORDER BY id;
SELECT count_child(), n FROM other ORDER BY n;
DELETE FROM child WHERE id = 10;
SELECT count_child(), n FROM other ORDER BY n;

-- story: prepared statements
PREPARE read_other AS SELECT n FROM other ORDER BY id;
EXECUTE read_other;
UPDATE other SET n = 5 WHERE id = 2;
EXECUTE read_other;
DEALLOCATE read_other;

-- story: cursors keep what they were opened with
BEGIN;
DECLARE c CURSOR FOR SELECT n FROM other ORDER BY id;
FETCH c;
UPDATE other SET n = 9;
FETCH c;
DECLARE d CURSOR FOR SELECT n FROM other ORDER BY id;
FETCH ALL d;
COMMIT;

-- story: COPY to the client
COPY other TO STDOUT;
INSERT INTO other VALUES (4, 4);
COPY other TO STDOUT;

-- story: a temporary table takes the name
CREATE TEMP TABLE pair (id int, n int);
INSERT INTO pair VALUES (8, 8);
SELECT * FROM pair;
DROP TABLE pair;
SELECT * FROM pair;

-- story: a table gets policies
ALTER TABLE protected ENABLE ROW LEVEL SECURITY; -- in production
CREATE POLICY kept ON protected USING (EXISTS (SELECT FROM other o WHERE o.id = protected.id)); -- in production
SELECT * FROM protected ORDER BY id;
DELETE FROM other WHERE id = 1;
SELECT * FROM protected ORDER BY id;

-- story: a table gets a child with staged rows
CREATE TABLE derived (id int PRIMARY KEY, n int NOT NULL); -- in production
INSERT INTO derived VALUES (100, 100);
SELECT * FROM pair ORDER BY id;
ALTER TABLE derived INHERIT pair; -- in production
SELECT * FROM pair ORDER BY id;

-- story: levels of isolation
BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT * FROM other ORDER BY id; COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM pair; UPDATE pair SET n = 4; SELECT * FROM pair; COMMIT;
SELECT * FROM pair;

-- story: mistakes and system columns
SELECT nowhere FROM other;
SELECT 1 / n FROM other ORDER BY id;
SELECT count(ctid) FROM other;
UPDATE pair SET n = 8;
SELECT count(ctid) FROM other;

-- story: rows that another connection of the session stages
UPDATE other SET n = 6 WHERE id = 1; -- by other
SELECT n FROM other ORDER BY id;
BEGIN;
SELECT n FROM pair;
UPDATE pair SET n = 6; -- by other
SELECT n FROM pair;
COMMIT;
