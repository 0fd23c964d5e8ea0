-- UPDATEs and DELETEs that may change many rows: they are staged as a set if every row is valid, otherwise row by row.
CREATE TABLE top (id int PRIMARY KEY, word text);
INSERT INTO top SELECT g, 't' || g FROM generate_series(1, 20) g;
CREATE TABLE goods (
  id int PRIMARY KEY, code text NOT NULL UNIQUE, n int DEFAULT 3 CHECK (n <> 13), up int REFERENCES top, note varchar(4), price numeric(6, 2),
  CONSTRAINT pair CHECK (n IS NULL OR up IS NULL OR n >= up)
);
INSERT INTO goods SELECT g, 'c' || g, g + 20, g % 20 + 1, 'n' || g, g / 3.0 FROM generate_series(1, 60) g;
CREATE UNIQUE INDEX lowest ON goods (lower(note)) WHERE price > 19;
CREATE TABLE loose (a int, b int, word text, flags bit(3), list int[], kept jsonb, PRIMARY KEY (a, b));
INSERT INTO loose SELECT g, g % 3, 'l' || g, '101', ARRAY[g, g + 1], '{"n": 1}' FROM generate_series(1, 30) g;
CREATE TABLE part_of (id int PRIMARY KEY, up int REFERENCES top ON DELETE CASCADE);
INSERT INTO part_of SELECT g, g FROM generate_series(1, 5) g;
CREATE TABLE base (id int PRIMARY KEY, v int);
CREATE TABLE derived (PRIMARY KEY (id)) INHERITS (base);
INSERT INTO base SELECT g, g FROM generate_series(1, 3) g;
INSERT INTO derived SELECT g, g FROM generate_series(4, 6) g;
CREATE TABLE parts (id int PRIMARY KEY, v int) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (10);
INSERT INTO parts SELECT g, g FROM generate_series(1, 5) g;
CREATE TABLE computed (id int PRIMARY KEY, v int, twice int GENERATED ALWAYS AS (v * 2) STORED);
INSERT INTO computed SELECT g, g FROM generate_series(1, 5) g;
CREATE TABLE keyless (n int, word text);
INSERT INTO keyless SELECT g, 'k' FROM generate_series(1, 5) g;
CREATE VIEW dear AS SELECT id, price, n FROM goods WHERE price > 10 WITH CHECK OPTION;
CREATE TABLE "Odd ""name" (id int PRIMARY KEY, "Some column" text);
INSERT INTO "Odd ""name" SELECT g, 'o' FROM generate_series(1, 5) g;

-- story: each constraint is told as of the first row that breaks it
UPDATE goods SET n = 13 WHERE id > 50;
UPDATE goods SET n = CASE id WHEN 9 THEN 13 ELSE n END WHERE id > 3;
UPDATE goods SET n = 2 WHERE id > 3 AND id < 8;
UPDATE goods SET note = 'too long' WHERE id > 3;
UPDATE goods SET note = 'same' WHERE id > 55;
UPDATE goods SET price = 100000 WHERE id > 3;
UPDATE goods SET price = 20, note = 'x' || (id % 5) WHERE id < 12;
UPDATE goods SET code = 'c1' WHERE id > 3;
UPDATE goods SET code = NULL WHERE id > 3;
UPDATE goods SET id = id + 1 WHERE id > 58;
UPDATE goods SET id = id + 1000 WHERE id > 58;
UPDATE goods SET up = 77 WHERE id > 3;
UPDATE goods SET up = 1 WHERE id > 3;
UPDATE goods SET n = 10 / (id - 10) WHERE id > 3;
UPDATE goods SET n = 'many' WHERE id > 3;
UPDATE goods SET none = 1 WHERE id > 3;
UPDATE goods SET n = n + none WHERE id > 3;
UPDATE goods SET n = 1, n = 2 WHERE id > 3;
UPDATE goods SET n = code WHERE id > 3;
UPDATE loose SET flags = '1' WHERE a > 3;
UPDATE loose SET flags = '1'::bit(1) WHERE a > 3;
UPDATE loose SET kept = '{' WHERE a > 3;
UPDATE goods SET n = (SELECT id FROM top) WHERE id > 3;
DELETE FROM goods WHERE id / (id - 10) > 0;
DELETE FROM goods WHERE none = 1;
SELECT * FROM goods ORDER BY id; SELECT * FROM loose ORDER BY a;

-- story: rows that are all in order
UPDATE goods SET n = n + 1 WHERE n > 40;
UPDATE goods AS g SET n = g.n + 1 WHERE g.n < 30 AND g.up < 10;
UPDATE loose SET word = word || '!';
UPDATE loose l SET list = list || l.a, kept = kept || '{"m": 2}', flags = '011' WHERE b = 1 AND a > 900;
UPDATE "Odd ""name" SET "Some column" = "Odd ""name"."Some column" || '!' WHERE id IN (1, 2);
UPDATE goods SET n = 50 WHERE false;
DELETE FROM "Odd ""name" WHERE id > 2;
DELETE FROM loose WHERE a BETWEEN 40 AND 50;
SELECT * FROM goods ORDER BY id; SELECT * FROM loose ORDER BY a; SELECT * FROM "Odd ""name" ORDER BY id;

-- story: what a session has staged already
UPDATE goods SET n = 60 WHERE id < 5;
UPDATE goods SET n = n + 1 WHERE n >= 60;
UPDATE goods SET price = 1 WHERE n >= 60 OR id = 7;
INSERT INTO goods (id, code, n) VALUES (100, 'own', 70);
UPDATE goods SET price = price + 1 WHERE n >= 60;
DELETE FROM goods WHERE n >= 61;
DELETE FROM loose WHERE a < 5;
UPDATE loose SET word = 'after' WHERE a < 7;
DELETE FROM loose WHERE a < 10;
INSERT INTO loose (a, b) VALUES (1, 1);
UPDATE loose SET word = 'again' WHERE a < 12;
SELECT * FROM goods ORDER BY id; SELECT * FROM loose ORDER BY a;

-- story: with other relations
UPDATE goods SET n = n + 1 FROM top WHERE top.id = goods.up AND top.word = 't3';
UPDATE goods g SET note = t.word, price = t.id FROM top t WHERE t.id = g.up AND t.id > 15;
UPDATE goods SET n = 90 FROM top WHERE goods.id = 1 AND top.id < 5;
UPDATE goods SET n = (SELECT max(id) + 70 FROM top WHERE top.id <= goods.up) WHERE id > 55;
WITH many AS (SELECT id FROM top WHERE id > 5) UPDATE goods SET price = 3 WHERE up IN (SELECT id FROM many);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4) UPDATE loose SET word = 'c' || c.n FROM c WHERE loose.a = c.n;
UPDATE loose SET word = other.word FROM loose other WHERE other.a = loose.a + 10;
UPDATE loose SET word = 'twice' FROM top WHERE top.id > loose.a;
DELETE FROM loose USING top WHERE top.id = loose.a AND top.id > 12;
DELETE FROM loose AS l USING loose o WHERE o.a = l.a + 1;
SELECT * FROM goods ORDER BY id; SELECT * FROM loose ORDER BY a;

-- story: forms of assignments
UPDATE loose SET (word, flags) = ('both', '000') WHERE a > 20;
UPDATE loose SET (word, flags) = (SELECT t.word, B'111' FROM top t WHERE t.id = loose.a) WHERE a < 20;
UPDATE loose SET list[1] = 7, list[2] = 8 WHERE a > 3;
UPDATE loose SET kept['m'] = '5' WHERE a > 3;
UPDATE goods SET n = DEFAULT, price = DEFAULT WHERE id > 50;
UPDATE goods SET n = n WHERE n = (SELECT max(n) FROM goods) RETURNING id;
UPDATE ONLY goods SET n = 77 WHERE n < 25;
UPDATE ONLY (goods) SET n = 78 WHERE n = 77;
UPDATE goods * SET n = 79 WHERE n = 78;
UPDATE public.goods SET n = 80 WHERE public.goods.n = 79;
UPDATE goods AS "Other" SET n = "Other".n + 1 WHERE "Other".id > 30;
UPDATE goods SET n = goods.n WHERE (goods).id > 30;
UPDATE goods SET note = left(goods::text, 4) WHERE price < 5;
DELETE FROM ONLY goods WHERE id > 58;
DELETE FROM goods WHERE id > 57 RETURNING *;
SELECT * FROM goods ORDER BY id; SELECT * FROM loose ORDER BY a;

-- story: keys that others refer to, and rows that follow
DELETE FROM top WHERE id > 18;
DELETE FROM goods WHERE up > 18;
DELETE FROM top WHERE id > 18;
UPDATE top SET word = 'new' WHERE id < 4;
UPDATE top SET id = id + 100 WHERE id = 19;
DELETE FROM goods WHERE up < 5;
DELETE FROM top WHERE id IN (2, 3);
SELECT * FROM top ORDER BY id; SELECT * FROM part_of ORDER BY id;

-- story: in a transaction, after something and before more
BEGIN;
INSERT INTO goods (id, code, n) VALUES (200, 'two hundred', 5);
UPDATE goods SET price = 8 WHERE n > 70;
UPDATE goods SET price = 9 WHERE n > 60;
SAVEPOINT here;
UPDATE goods SET price = 10 WHERE n > 50;
DELETE FROM goods WHERE n > 75;
ROLLBACK TO here;
DELETE FROM goods WHERE n > 78; UPDATE goods SET note = 'end' WHERE n BETWEEN 70 AND 71;
UPDATE goods SET n = 13 WHERE code = 'two hundred';
ROLLBACK;
BEGIN;
UPDATE goods SET price = 8 WHERE n > 70;
DELETE FROM loose WHERE a > 25;
COMMIT;
BEGIN READ ONLY;
UPDATE goods SET price = 8 WHERE n > 70;
ROLLBACK;
UPDATE goods SET price = 7 WHERE n > 75; DELETE FROM loose WHERE a > 20; UPDATE goods SET price = 6 WHERE n > 78;
SELECT * FROM goods ORDER BY id; SELECT * FROM loose ORDER BY a;

-- story: several writes in one statement
WITH gone AS (DELETE FROM loose WHERE a > 20 RETURNING a) UPDATE goods SET price = 2 WHERE id IN (SELECT a FROM gone);
WITH first AS (UPDATE goods SET price = 4 WHERE id < 4) UPDATE goods SET price = 5 WHERE id < 6;
SELECT * FROM goods ORDER BY id; SELECT * FROM loose ORDER BY a;

-- story: relations whose rows are always staged one by one
UPDATE base SET v = v + 10 WHERE v > 2;
UPDATE ONLY base SET v = v + 10;
UPDATE parts SET v = 7 WHERE v > 2;
UPDATE computed SET v = v + 1 WHERE v > 2;
UPDATE keyless SET word = 'new' WHERE n > 2;
UPDATE dear SET n = n + 1 WHERE price > 15;
UPDATE dear SET price = 9 WHERE price > 15;
DELETE FROM base WHERE v > 14; DELETE FROM parts WHERE v = 7; DELETE FROM computed WHERE v > 5; DELETE FROM keyless WHERE n > 4;
DELETE FROM dear WHERE price > 18;
SELECT * FROM base ORDER BY id; SELECT * FROM parts ORDER BY id; SELECT * FROM computed ORDER BY id; SELECT * FROM keyless ORDER BY n; SELECT * FROM dear ORDER BY id;

-- story: prepared by SQL, and run where rows are in the way
PREPARE raise (int, numeric) AS UPDATE goods SET price = $2 + 1, n = n WHERE n > $1;
EXECUTE raise (75, 1.005);
EXECUTE raise (78, 2);
EXECUTE raise (70, 3);
PREPARE gone (int[]) AS DELETE FROM loose WHERE a = ANY ($1);
EXECUTE gone ('{1,2,3}');
EXECUTE gone ('{3,4}');
BEGIN;
EXECUTE raise (60, 4);
EXECUTE raise (50, 5);
ROLLBACK;
DEALLOCATE ALL;
SELECT * FROM goods ORDER BY id; SELECT * FROM loose ORDER BY a;

-- story: a cursor says which row
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM loose WHERE a > 3 ORDER BY a;
FETCH 1 FROM c;
UPDATE loose SET word = 'later' WHERE a > 2;
FETCH 1 FROM c;
COMMIT;
SELECT * FROM loose ORDER BY a;

-- story: forms of the statement whose text for a set could not be analysed, prepared by SQL
PREPARE star (int) AS UPDATE goods * SET n = n WHERE n > $1;
EXECUTE star (100);
BEGIN;
EXECUTE star (70);
UPDATE goods * SET n = n WHERE n > 70;
EXECUTE star (77);
COMMIT;
PREPARE wrong (int) AS UPDATE goods SET none = $1 WHERE n > 3;
EXECUTE wrong (1);
