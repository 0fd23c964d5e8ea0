-- INSERTs that bring many rows: they are staged as a set where all is in order, and row by row where something is not.
CREATE TABLE top (id int PRIMARY KEY);
INSERT INTO top SELECT generate_series(1, 20);
CREATE TABLE source (n int, word text, wrong text);
INSERT INTO source SELECT g, 'w' || g, CASE WHEN g = 7 THEN 'seven' ELSE g::text END FROM generate_series(1, 60) g;
CREATE TABLE goods (
  id int PRIMARY KEY, code text NOT NULL UNIQUE, n int DEFAULT 3 CHECK (n <> 13), up int REFERENCES top, note varchar(4),
  CONSTRAINT pair CHECK (n IS NULL OR up IS NULL OR n >= up)
);
INSERT INTO goods VALUES (1000, 'taken', 1, 1), (1001, 'free', 1, 1);
CREATE UNIQUE INDEX lowest ON goods (lower(note)) WHERE n > 50;
CREATE TABLE numbered (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, word text NOT NULL);
CREATE TABLE counted (id serial PRIMARY KEY, word text NOT NULL, seen text DEFAULT 'new');
CREATE TABLE late (id int PRIMARY KEY, n int UNIQUE DEFERRABLE INITIALLY DEFERRED, up int REFERENCES top DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE computed (id int PRIMARY KEY, twice int GENERATED ALWAYS AS (id * 2) STORED);
CREATE TABLE keyless (n int NOT NULL);
CREATE TABLE tree (id int PRIMARY KEY, up int REFERENCES tree);
CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (10);

-- story: rows that are all in order
INSERT INTO goods SELECT n, word, n + 20, 1, 'x' FROM source WHERE n < 20;
INSERT INTO goods (code, id) SELECT 'c' || n, n + 100 FROM source;
INSERT INTO goods AS g (id, code) SELECT n + 200, upper(word) FROM source ORDER BY n DESC LIMIT 5;
WITH some AS (SELECT * FROM source WHERE n > 50) INSERT INTO goods (id, code) SELECT n + 300, 'some' || n FROM some;
INSERT INTO goods (id, code) TABLE source;
INSERT INTO goods (id, code) SELECT n + 400, 'u' || n FROM source UNION ALL SELECT 999, 'last';
INSERT INTO goods (id, code) SELECT g.id + 5000, g.code || '!' FROM goods g WHERE g.id >= 1000;
INSERT INTO goods (id, code) SELECT n, word FROM source WHERE n < 0;
SELECT * FROM goods ORDER BY id;
BEGIN;
INSERT INTO goods (id, code) SELECT n + 600, 'b' || n FROM source;
INSERT INTO goods (id, code) SELECT n + 700, 'd' || n FROM source; INSERT INTO goods (id, code) SELECT n + 800, 'e' || n FROM source;
UPDATE goods SET n = 5 WHERE id BETWEEN 650 AND 655;
COMMIT;
SELECT count(*), sum(id), sum(n) FROM goods;

-- story: a long list of values
INSERT INTO goods (id, code, n) VALUES (1,'1',1),(2,'2',DEFAULT),(3,'3',3),(4,'4',4),(5,'5',5),(6,'6',6),(7,'7',7),(8,'8',8),(9,'9',9),(10,'10',10),(11,'11',11),(12,'12',12),(14,'14',14),(15,'15',15),(16,'16',16),(17,'17',17),(18,'18',18),(19,'19',19),(20,'20',20),(21,'21',21),(22,'22',22),(23,'23',23),(24,'24',24),(25,'25',25),(26,'26',26),(27,'27',27),(28,'28',28),(29,'29',29),(30,'30',30),(31,'31',31),(32,'32',32),(33,'33',33),(34,'34',34),(35,'35',35),(36,'36',36),(37,'37',37),(38,'38',38),(39,'39',39),(40,'40',40),(41,'41',41),(42,'42',42),(43,'43',43),(44,'44',44),(45,'45',45),(46,'46',46),(47,'47',47),(48,'48',48),(49,'49',49),(50,'50',50),(51,'51',51);
SELECT count(*), sum(id), sum(n) FROM goods;

-- story: each constraint is told as of the first row that breaks it
INSERT INTO goods (id, code) SELECT nullif(n, 5), word FROM source ORDER BY n;
INSERT INTO goods (id, code) SELECT n, nullif(word, 'w5') FROM source ORDER BY n;
INSERT INTO goods (id, code, n) SELECT n, word, n FROM source ORDER BY n;
INSERT INTO goods (id, code, n, up) SELECT n, word, 3, n FROM source WHERE n < 13 ORDER BY n;
INSERT INTO goods (id, code, up) SELECT n, word, 77 FROM source ORDER BY n;
INSERT INTO goods (id, code) SELECT n + 990, word FROM source ORDER BY n;
INSERT INTO goods (id, code) SELECT n, CASE n WHEN 9 THEN 'taken' ELSE word END FROM source ORDER BY n;
INSERT INTO goods (id, code) SELECT n % 10, word FROM source ORDER BY n;
INSERT INTO goods (id, code, n, note) SELECT n, word, 60, CASE WHEN n % 2 = 0 THEN 'Ab' ELSE 'aB' END FROM source ORDER BY n;
INSERT INTO goods (id, code, note) SELECT n, word, 'too long' FROM source ORDER BY n;
INSERT INTO goods (id, code) SELECT n, word, n FROM source;
INSERT INTO goods (id, code, none) SELECT n, word, n FROM source;
INSERT INTO goods (id, code) SELECT word, n FROM source;
INSERT INTO goods (id, id) SELECT n, n FROM source;
SELECT * FROM goods ORDER BY id;

-- story: what the query itself runs into comes in its turn
INSERT INTO goods (id, code) SELECT wrong::int, word FROM source ORDER BY n;
INSERT INTO goods (id, code) SELECT wrong::int, nullif(word, 'w3') FROM (SELECT * FROM source ORDER BY n) s;
INSERT INTO goods (id, code) SELECT wrong::int, nullif(word, 'w9') FROM (SELECT * FROM source ORDER BY n) s;
INSERT INTO goods (id, code) SELECT CASE n WHEN 3 THEN 1000 ELSE wrong::int END, word FROM (SELECT * FROM source ORDER BY n) s;
INSERT INTO goods (id, code) SELECT CASE n WHEN 3 THEN 1 ELSE wrong::int END, word FROM (SELECT * FROM source ORDER BY n) s;
SELECT * FROM goods ORDER BY id;

-- story: rows of the session are in the way, or have made way
DELETE FROM goods WHERE id = 1000;
INSERT INTO goods (id, code) VALUES (5, 'five');
INSERT INTO goods (id, code) SELECT n, word FROM source;
INSERT INTO goods (id, code) SELECT n + 60, CASE n WHEN 9 THEN 'five' ELSE word END FROM source;
INSERT INTO goods (id, code) SELECT n + 990, CASE n WHEN 1 THEN 'taken' ELSE word END FROM source WHERE n < 11;
UPDATE goods SET id = 2001 WHERE id = 1001;
INSERT INTO goods (id, code) SELECT n + 1000, 'a' || n FROM source WHERE n < 11;
SELECT * FROM goods ORDER BY id;

-- story: in a transaction, after something and before more
BEGIN;
INSERT INTO goods (id, code) VALUES (1, 'one');
INSERT INTO goods (id, code) SELECT n + 1, word FROM source;
INSERT INTO goods (id, code) SELECT n + 100, 'x' || n FROM source;
SAVEPOINT here;
INSERT INTO goods (id, code) SELECT n + 61, 'y' || n FROM source;
ROLLBACK TO here;
INSERT INTO goods (id, code) SELECT n + 200, 'z' || n FROM source;
UPDATE goods SET n = 9 WHERE id = 201;
COMMIT;
SELECT * FROM goods ORDER BY id;
BEGIN READ ONLY;
INSERT INTO goods (id, code) SELECT n + 100, 'x' || n FROM source;
ROLLBACK;

-- story: numbers that are drawn, and defaults
INSERT INTO numbered (word) SELECT word FROM source ORDER BY n;
INSERT INTO numbered (id, word) SELECT n, word FROM source ORDER BY n;
INSERT INTO numbered SELECT n, word FROM source ORDER BY n;
INSERT INTO numbered (id, word) OVERRIDING SYSTEM VALUE SELECT n + 100, word FROM source ORDER BY n;
INSERT INTO numbered (id, word) OVERRIDING USER VALUE SELECT n + 100, word FROM source ORDER BY n;
INSERT INTO counted (word) SELECT word FROM source ORDER BY n;
INSERT INTO counted (id, word) SELECT n + 100, word FROM source ORDER BY n;
INSERT INTO counted (word, seen) SELECT word, NULL FROM source ORDER BY n RETURNING id;
SELECT * FROM numbered ORDER BY id;
SELECT * FROM counted ORDER BY id;

-- story: constraints that wait for the end of the transaction
INSERT INTO late SELECT n, n, 1 FROM source;
INSERT INTO late SELECT n + 100, n, 1 FROM source;
BEGIN;
INSERT INTO late SELECT n + 100, n + 100, 77 FROM source;
UPDATE late SET up = 2 WHERE up = 77;
INSERT INTO late SELECT n + 200, n + 100, 1 FROM source;
UPDATE late SET n = n + 100 WHERE id > 200;
COMMIT;
SELECT * FROM late ORDER BY id;

-- story: tables whose rows are always staged one by one
INSERT INTO computed SELECT n FROM source;
INSERT INTO computed SELECT n + 50 FROM source ORDER BY n;
INSERT INTO keyless SELECT n FROM source;
INSERT INTO keyless SELECT n FROM source;
INSERT INTO parts SELECT n FROM source WHERE n < 10;
INSERT INTO parts SELECT n FROM source ORDER BY n;
SELECT * FROM computed ORDER BY id;
SELECT count(*) FROM keyless; SELECT count(*) FROM parts;

-- story: rows that refer to each other
INSERT INTO tree SELECT n, nullif(n - 1, 0) FROM source ORDER BY n;
INSERT INTO tree SELECT n + 100, n + 101 FROM source ORDER BY n;
INSERT INTO tree SELECT n + 100, CASE n WHEN 60 THEN 60 ELSE n + 101 END FROM source ORDER BY n;
DELETE FROM tree WHERE id = 160;
SELECT * FROM tree ORDER BY id;

-- story: prepared by SQL, and run where rows are in the way
PREPARE many (int) AS INSERT INTO goods (id, code) SELECT n + $1, 'p' || n + $1 FROM source;
EXECUTE many (10);
EXECUTE many (20);
EXECUTE many (100);
BEGIN;
EXECUTE many (200);
EXECUTE many (230);
ROLLBACK;
DEALLOCATE many;
SELECT count(*), sum(id) FROM goods;
