-- Inheritance trees: statements on parents and children get PostgreSQL's responses, and approval leaves the same rows in each table.
CREATE DOMAIN short AS text CHECK (length(VALUE) < 8);
CREATE TABLE city (id int PRIMARY KEY, name short NOT NULL, pop int DEFAULT 1 CHECK (pop >= 0), CONSTRAINT own CHECK (pop < 1000) NO INHERIT,
  total int GENERATED ALWAYS AS (pop * 2) STORED);
CREATE TABLE capital (country text, PRIMARY KEY (id)) INHERITS (city);
CREATE TABLE town (mayor text UNIQUE, CHECK (pop < 500)) INHERITS (city);
CREATE TABLE port (dock int PRIMARY KEY, pop int, id int) INHERITS (city);
CREATE TABLE seaside (beach int[] DEFAULT '{1}') INHERITS (capital, port);
CREATE TABLE untouched (id int PRIMARY KEY);
CREATE TABLE untouched_child (PRIMARY KEY (id)) INHERITS (untouched);
INSERT INTO untouched VALUES (1); INSERT INTO untouched_child VALUES (2);
INSERT INTO city VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', 30);
INSERT INTO capital (id, name, pop, country) VALUES (1, 'c-one', 2000, 'x'), (11, 'c-two', 110, 'y');
INSERT INTO town (id, name, pop, mayor) VALUES (21, 't-one', 210, 'ann'), (21, 't-one', 210, 'bob'), (22, 't-two', 220, NULL), (22, 't-two', 220, NULL);
INSERT INTO port (dock, id, name, pop) VALUES (1, 31, 'p-one', 310), (2, 31, 'p-one', 310), (3, 2, 'two', 20);
INSERT INTO seaside (dock, id, name, pop) VALUES (1, 41, 's-one', 410);
CREATE TABLE visit (id int PRIMARY KEY, city int REFERENCES city ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO visit VALUES (1, 1), (2, 2);
CREATE VIEW large AS SELECT id, name, pop FROM city WHERE pop > 100 WITH CHECK OPTION;
CREATE VIEW alone AS SELECT id, name, pop FROM ONLY city;
CREATE VIEW counted AS SELECT count(*), sum(pop) FROM city;
CREATE TABLE bare (a int, b text);
CREATE TABLE bare_child (c int) INHERITS (bare);
INSERT INTO bare VALUES (1, 'x'), (1, 'x'), (2, NULL);
INSERT INTO bare_child VALUES (1, 'x', 1), (1, 'x', 1), (1, 'x', 2), (NULL, NULL, NULL), (NULL, NULL, NULL);

-- after each story
SELECT id, name, pop, total FROM city;
SELECT * FROM ONLY city;
SELECT * FROM capital;
SELECT * FROM ONLY capital;
SELECT * FROM town;
SELECT * FROM port;
SELECT * FROM seaside;
SELECT * FROM bare;
SELECT * FROM bare_child;
SELECT * FROM visit;
SELECT * FROM counted;
SELECT * FROM alone;

-- story: a parent read by the first statement that inserts into it
INSERT INTO untouched SELECT id + 10 FROM untouched RETURNING id;
SELECT id FROM untouched ORDER BY id; SELECT id FROM ONLY untouched ORDER BY id;

-- story: INSERT
INSERT INTO city VALUES (4, 'four', 40) RETURNING *;
INSERT INTO city (id, name) VALUES (11, 'eleven') RETURNING city;
INSERT INTO city VALUES (1, 'dup');
INSERT INTO city VALUES (5, 'five', 2000);
INSERT INTO capital (id, name, pop) VALUES (5, 'five', 2000) RETURNING *;
INSERT INTO capital (id, name) VALUES (1, 'dup');
INSERT INTO capital (id, name, pop) VALUES (6, 'six', -1);
INSERT INTO town (id, name, pop) VALUES (6, 'six', 600);
INSERT INTO town (id, name) VALUES (6, NULL);
INSERT INTO town (id, name) VALUES (6, 'too long a name');
INSERT INTO seaside (id, name, dock) VALUES (7, 'seven', 9) RETURNING *;
INSERT INTO visit VALUES (3, 11), (4, 21);
INSERT INTO visit VALUES (4, 21);
INSERT INTO bare SELECT id, name FROM city WHERE pop > 100;
INSERT INTO bare SELECT id, name FROM ONLY city;

-- story: UPDATE
UPDATE city SET pop = pop + 1 RETURNING *;
UPDATE city SET pop = pop + 1 WHERE id = 21 RETURNING id, pop;
UPDATE ONLY city SET name = 'only' WHERE id = 2 RETURNING city.*;
UPDATE city * SET name = 'star' WHERE id = 2;
UPDATE city SET id = id + 100 WHERE id < 3 RETURNING id;
UPDATE capital SET country = 'z', pop = 5 RETURNING *;
UPDATE ONLY capital SET country = 'o';
UPDATE port SET dock = dock + 10 WHERE dock = 1 RETURNING *;
UPDATE city SET pop = 999 WHERE id IN (11, 22);
UPDATE city SET pop = 1000 WHERE id IN (3, 41);
UPDATE city SET pop = 450 WHERE id > 20;
UPDATE city SET pop = -1 WHERE id = 31;
UPDATE city SET name = NULL WHERE id = 41;
UPDATE city SET name = 'far too long' WHERE id = 41;
UPDATE city SET total = 1;
UPDATE city SET total = DEFAULT, pop = DEFAULT WHERE id = 21 RETURNING *;
UPDATE city c SET name = v.id::text FROM visit v WHERE v.city = c.id RETURNING c.*, v.*;
UPDATE city SET pop = 7 FROM generate_series(1, 2) g RETURNING id;
UPDATE public.city SET (name, pop) = (SELECT 'sub', 3) WHERE public.city.id = 22 RETURNING public.city.id;
UPDATE bare SET a = a + 1 RETURNING *;
UPDATE bare SET b = 'y' WHERE b IS NULL RETURNING *;
UPDATE bare_child SET c = c + 1 WHERE c = 1 RETURNING *;
UPDATE bare SET a = 9 FROM generate_series(1, 2) g;

-- story: DELETE
DELETE FROM city WHERE id IN (1, 21) RETURNING *;
DELETE FROM ONLY city WHERE id IN (2, 22) RETURNING *;
DELETE FROM city WHERE name = 'two' RETURNING *;
DELETE FROM capital WHERE id = 41 RETURNING *;
INSERT INTO seaside (dock, id, name, pop) VALUES (1, 41, 'again', 410);
DELETE FROM ONLY port RETURNING dock;
DELETE FROM city USING visit WHERE visit.city = city.id;
DELETE FROM bare USING generate_series(1, 2) g WHERE a = 1 RETURNING *;
SELECT id, name, pop, total FROM city;
SELECT * FROM ONLY city;
SELECT * FROM capital;
SELECT * FROM ONLY capital;
SELECT * FROM town;
SELECT * FROM port;
SELECT * FROM seaside;
SELECT * FROM bare;
SELECT * FROM bare_child;
SELECT * FROM visit;
SELECT * FROM counted;
SELECT * FROM alone;
DELETE FROM city;
DELETE FROM bare;

-- story: one after the other, and within one statement
UPDATE city SET name = 'a' WHERE pop > 100;
UPDATE capital SET name = name || country;
DELETE FROM town WHERE mayor = 'ann';
INSERT INTO town (id, name, pop, mayor) VALUES (21, 'a', 210, 'ann');
UPDATE city SET name = name || 'b' WHERE id = 21 RETURNING *;
WITH gone AS (DELETE FROM city WHERE id = 21 RETURNING id) INSERT INTO bare SELECT id, 'gone' FROM gone RETURNING *;
WITH one AS (UPDATE city SET pop = 12 WHERE id = 11 RETURNING *), other AS (UPDATE capital SET country = 'w' WHERE id = 1 RETURNING *)
      SELECT o.id, o.pop, x.country FROM one o, other x;
WITH moved AS (DELETE FROM ONLY city WHERE id = 3 RETURNING id, name, pop) INSERT INTO capital (id, name, pop) SELECT * FROM moved RETURNING *;

-- story: ON CONFLICT
INSERT INTO city VALUES (1, 'x'), (11, 'y') ON CONFLICT DO NOTHING RETURNING *;
INSERT INTO city VALUES (1, 'x'), (31, 'y') ON CONFLICT (id) DO UPDATE SET name = excluded.name || city.pop RETURNING *;
INSERT INTO capital (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET pop = capital.pop + 1 RETURNING *;

-- story: views over a parent
SELECT * FROM large;
INSERT INTO large VALUES (101, 'new', 101) RETURNING *;
INSERT INTO large VALUES (102, 'new', 1);
UPDATE large SET pop = pop - 50 WHERE id = 11;
UPDATE large SET pop = pop + 50 WHERE id <> 1 RETURNING *;
DELETE FROM large WHERE id = 31 RETURNING *;
INSERT INTO large VALUES (101, 'again', 101) ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING *;
UPDATE alone SET pop = 17 RETURNING *;
DELETE FROM alone WHERE id = 2;

-- story: TRUNCATE
TRUNCATE ONLY city;
TRUNCATE ONLY city CASCADE;
SELECT * FROM city;
SELECT * FROM visit;
TRUNCATE capital;
SELECT id, name, pop, total FROM city;
SELECT * FROM ONLY city;
SELECT * FROM capital;
SELECT * FROM ONLY capital;
SELECT * FROM town;
SELECT * FROM port;
SELECT * FROM seaside;
SELECT * FROM bare;
SELECT * FROM bare_child;
SELECT * FROM visit;
SELECT * FROM counted;
SELECT * FROM alone;
TRUNCATE bare;
SELECT * FROM bare_child;

-- story: reads of every shape
UPDATE city SET name = 'r' WHERE id IN (1, 21, 41);
SELECT c.id, p.dock FROM city c LEFT JOIN port p ON p.id = c.id;
SELECT city FROM city WHERE city.name = 'r';
SELECT name, count(*) FROM city GROUP BY name HAVING count(*) > 1;
SELECT (SELECT max(pop) FROM ONLY city), (SELECT max(pop) FROM city);
WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up JOIN city ON city.id = n) SELECT * FROM up;
