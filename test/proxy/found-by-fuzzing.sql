-- Regressions that random statements found: responses that once differed from PostgreSQL's.
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE late (id int PRIMARY KEY, e int, r int4range, a int, b int,
  EXCLUDE USING btree (e WITH =) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT late_r EXCLUDE USING gist (r WITH &&) WHERE (a > 0) DEFERRABLE,
  CONSTRAINT late_a FOREIGN KEY (a) REFERENCES parent DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT late_b FOREIGN KEY (b) REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE ring (id int PRIMARY KEY, a int, b int,
  CONSTRAINT ring_a FOREIGN KEY (a) REFERENCES ring ON DELETE CASCADE ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT ring_b FOREIGN KEY (b) REFERENCES ring DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE loose (e int, EXCLUDE USING btree (e WITH =) DEFERRABLE);
CREATE TABLE keyless (id int, n int);
INSERT INTO keyless VALUES (1, 1);
CREATE TABLE keys (a int, b int, c int UNIQUE, PRIMARY KEY (a, b));
CREATE TABLE twice (a int, b int, UNIQUE (a, b), CONSTRAINT twice_later UNIQUE (b, a) DEFERRABLE);
CREATE TABLE own (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int NOT NULL,
  "Sum" int GENERATED ALWAYS AS (a + 1) VIRTUAL); -- since 18
  "Sum" int GENERATED ALWAYS AS (a + 1) STORED); -- until 17
CREATE TABLE upper_one (id int PRIMARY KEY);
CREATE TABLE lower_one (id int PRIMARY KEY, up int REFERENCES upper_one);
CREATE VIEW shown AS SELECT * FROM own;
CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parted_all PARTITION OF parted DEFAULT;
CREATE TABLE moving (id int PRIMARY KEY, up int) PARTITION BY RANGE (id);
CREATE TABLE moving_low PARTITION OF moving FOR VALUES FROM (0) TO (10);
CREATE TABLE moving_high PARTITION OF moving FOR VALUES FROM (10) TO (20);
ALTER TABLE moving ADD CONSTRAINT moving_up FOREIGN KEY (up) REFERENCES moving DEFERRABLE INITIALLY DEFERRED;
INSERT INTO moving VALUES (1, NULL), (2, 1);
CREATE TABLE top (id int PRIMARY KEY);
CREATE TABLE middle (id int PRIMARY KEY, top int REFERENCES top ON DELETE CASCADE);
CREATE TABLE low (id int PRIMARY KEY, middle int REFERENCES middle, top int REFERENCES top ON DELETE CASCADE);
CREATE TABLE both_ways (id int PRIMARY KEY, first int DEFAULT 99 REFERENCES top ON DELETE SET DEFAULT,
  second int REFERENCES top ON DELETE CASCADE);
CREATE TABLE both_loose (first int DEFAULT 99 REFERENCES top ON DELETE SET DEFAULT, third int REFERENCES top ON DELETE SET NULL,
  second int REFERENCES top ON DELETE CASCADE);
CREATE TABLE both_key (first int DEFAULT 99 REFERENCES top ON DELETE SET DEFAULT, n int, second int REFERENCES top ON DELETE CASCADE,
  PRIMARY KEY (first, n));
CREATE TABLE moved (first int REFERENCES top ON UPDATE CASCADE, second int REFERENCES top ON UPDATE CASCADE, PRIMARY KEY (first, second));
CREATE TABLE below (id int PRIMARY KEY, first int, n int, FOREIGN KEY (first, n) REFERENCES both_key ON UPDATE CASCADE ON DELETE SET NULL);
CREATE TABLE either (id int PRIMARY KEY, first int NOT NULL REFERENCES top ON DELETE SET NULL, second int REFERENCES top ON DELETE CASCADE);
CREATE TABLE checked (id int PRIMARY KEY, second int REFERENCES top ON DELETE CASCADE, first int REFERENCES top);
CREATE TABLE entry (id int PRIMARY KEY, owner int, key int, v int);
CREATE TABLE entry_loose (owner int, key int, v int);
CREATE TABLE entry_parted (id int, owner int, key int) PARTITION BY LIST (id);
CREATE TABLE entry_low PARTITION OF entry_parted FOR VALUES IN (1, 2);
CREATE TABLE entry_high PARTITION OF entry_parted DEFAULT;
CREATE TABLE api_key (id int PRIMARY KEY, owner int);
CREATE TABLE owner (id int PRIMARY KEY);
ALTER TABLE entry ADD FOREIGN KEY (owner) REFERENCES owner ON DELETE SET NULL, ADD FOREIGN KEY (key) REFERENCES api_key ON DELETE SET NULL;
ALTER TABLE entry_loose ADD FOREIGN KEY (owner) REFERENCES owner ON DELETE SET NULL, ADD FOREIGN KEY (key) REFERENCES api_key ON DELETE SET NULL;
ALTER TABLE entry_parted ADD FOREIGN KEY (owner) REFERENCES owner ON DELETE SET NULL, ADD FOREIGN KEY (key) REFERENCES api_key ON DELETE SET NULL;
ALTER TABLE api_key ADD FOREIGN KEY (owner) REFERENCES owner ON DELETE CASCADE;
INSERT INTO owner SELECT generate_series(1, 6);
INSERT INTO api_key SELECT n, n FROM generate_series(1, 6) n;
INSERT INTO entry SELECT n, n, n FROM generate_series(1, 6) n;
INSERT INTO entry_loose SELECT n, n, n FROM generate_series(1, 6) n;
INSERT INTO entry_parted SELECT n, n, n FROM generate_series(1, 6) n;
SET session_replication_role = replica;
INSERT INTO entry VALUES (9, 9, 9, 0);
INSERT INTO entry_loose VALUES (9, 9, 0);
INSERT INTO entry_parted VALUES (9, 9, 9);
RESET session_replication_role;
CREATE TABLE ends (x int, y int, PRIMARY KEY (x, y));
CREATE TABLE overlap (a int, b int, c int, FOREIGN KEY (a, b) REFERENCES ends ON UPDATE SET NULL,
  FOREIGN KEY (b, c) REFERENCES ends ON UPDATE SET NULL);
INSERT INTO ends VALUES (1, 2), (2, 1);
INSERT INTO overlap VALUES (2, 1, 2);
CREATE TABLE guest (id int PRIMARY KEY, room int);
CREATE TABLE room (id int PRIMARY KEY, guest int REFERENCES guest ON DELETE CASCADE);
ALTER TABLE guest ADD FOREIGN KEY (room) REFERENCES room ON DELETE RESTRICT;
INSERT INTO guest VALUES (1), (2);
INSERT INTO room VALUES (1, 1), (2, 2), (3, 2);
UPDATE guest SET room = id;
INSERT INTO top SELECT generate_series(1, 9);
INSERT INTO both_loose VALUES (4, NULL, 4), (4, 4, 4), (4, 4, 4), (5, 4, 5);
INSERT INTO both_key VALUES (4, 1, 4), (4, 2, 5);
INSERT INTO below VALUES (1, 4, 1);
INSERT INTO moved VALUES (8, 8);
INSERT INTO middle VALUES (1, 1), (2, 2);
INSERT INTO low VALUES (1, 1, 1), (2, 2, 1);
INSERT INTO both_ways VALUES (1, 3, 3);
CREATE TYPE duo AS (a int, b int);
CREATE TABLE referred (n int, d duo UNIQUE, PRIMARY KEY (n, d));
CREATE TABLE refers (id int PRIMARY KEY, d duo REFERENCES referred (d));
CREATE TABLE refers_full (n int, d duo, FOREIGN KEY (n, d) REFERENCES referred MATCH FULL);
INSERT INTO referred VALUES (1, '(,1)');
CREATE TABLE tree (id int PRIMARY KEY, a int, up int REFERENCES tree ON DELETE SET NULL);
INSERT INTO tree VALUES (1, 1, NULL), (2, 2, NULL), (3, 3, NULL), (4, 4, NULL), (5, 5, 4);
INSERT INTO parent VALUES (0);
INSERT INTO late VALUES (1, 1, '[1,5)', 0), (2, 2, '[1,5)', NULL);
INSERT INTO loose VALUES (1), (NULL);
INSERT INTO keys VALUES (1, 1, 1), (1, 2, 2);

-- story: exclusion constraints that can be deferred
INSERT INTO late VALUES (3, 1);
BEGIN; INSERT INTO late VALUES (3, 1); UPDATE late SET e = 3 WHERE id = 3; COMMIT;
UPDATE late SET a = 1, r = '[4,9)';
BEGIN; SET CONSTRAINTS late_r DEFERRED; INSERT INTO parent VALUES (1); UPDATE late SET a = 1; COMMIT;
SELECT * FROM late ORDER BY id;
INSERT INTO loose VALUES (1);
INSERT INTO loose VALUES (2), (NULL);
UPDATE loose SET e = 3;
UPDATE loose SET e = e + 1;
SELECT * FROM loose ORDER BY e;

-- story: deferred foreign keys are judged in their order
INSERT INTO late (id, a, b) VALUES (9, 98, 99);
INSERT INTO ring VALUES (1, 98, 99);
BEGIN; INSERT INTO late (id, a, b) VALUES (9, 98, 99); SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;

-- story: one action of a foreign key mends what another breaks
DELETE FROM top WHERE id = 2;
DELETE FROM top WHERE id = 1;
SELECT * FROM low; SELECT * FROM middle;

-- story: foreign keys change a row and then delete it
DELETE FROM top WHERE id = 3;
INSERT INTO both_ways VALUES (2, 5, 5), (3, 6, 6); UPDATE both_ways SET first = second;
DELETE FROM top WHERE id IN (5, 6);
INSERT INTO both_ways VALUES (2, 7, 7) RETURNING *;
DELETE FROM top WHERE id = 7; INSERT INTO top VALUES (7);
SELECT * FROM both_ways ORDER BY id;

-- story: foreign keys that a statement does not change are not checked
DELETE FROM owner WHERE id = 1;
UPDATE entry SET v = 1 WHERE id = 2; UPDATE entry_loose SET v = 1 WHERE owner = 2; DELETE FROM owner WHERE id = 2;
BEGIN; UPDATE entry SET v = 2 WHERE id = 3; UPDATE entry_loose SET v = 2 WHERE owner = 3; DELETE FROM owner WHERE id = 3; COMMIT;
INSERT INTO entry VALUES (7, 4, 5, 0); INSERT INTO entry_parted VALUES (7, 4, 5); DELETE FROM owner WHERE id IN (4, 5);
UPDATE entry SET owner = 6 WHERE id = 9; UPDATE entry SET v = 3 WHERE id = 9; UPDATE entry SET owner = 8 WHERE id = 9;
UPDATE entry SET key = 8 WHERE id = 9;
UPDATE entry_loose SET owner = 6 WHERE owner = 9; UPDATE entry_loose SET v = 3 WHERE key = 9; UPDATE entry_loose SET owner = 8 WHERE key = 9;
BEGIN; UPDATE entry SET owner = NULL WHERE id = 9; UPDATE entry SET v = 4 WHERE id = 9;
ROLLBACK;
BEGIN; UPDATE entry SET owner = NULL WHERE id = 9; UPDATE entry SET owner = 6 WHERE id = 9;
ROLLBACK;
UPDATE entry_parted SET owner = 6 WHERE id = 9;
UPDATE entry_parted SET id = 1 WHERE id = 9;
SELECT * FROM entry ORDER BY id; SELECT * FROM entry_loose ORDER BY 1, 2; SELECT * FROM entry_parted ORDER BY id; SELECT * FROM api_key;

-- story: foreign keys of several deleted rows reach one row
INSERT INTO top VALUES (20), (21), (22);
INSERT INTO either VALUES (1, 21, 20), (2, 22, 21);
DELETE FROM top WHERE id IN (20, 21, 22);
INSERT INTO top VALUES (20), (21); INSERT INTO either VALUES (3, 20, 21);
DELETE FROM top WHERE id IN (20, 21);
INSERT INTO checked VALUES (1, 21, 20);
UPDATE either SET first = second, second = first; DELETE FROM top WHERE id IN (20, 21);
UPDATE checked SET first = second, second = first; DELETE FROM top WHERE id IN (20, 21);
INSERT INTO top SELECT generate_series(1000, 1210);
INSERT INTO either SELECT n, n + 1, n FROM generate_series(1000, 1209) n;
DELETE FROM top WHERE id >= 1000;
SELECT * FROM either; SELECT * FROM checked; SELECT * FROM top ORDER BY id;

-- story: foreign keys with a column in common change a row, each for another updated one
UPDATE ends SET x = x + 10;
SELECT * FROM overlap;

-- story: foreign keys change rows without a key and then delete them
UPDATE both_loose SET third = 8 WHERE third IS NULL; UPDATE both_loose SET second = 5 WHERE third = 8;
DELETE FROM top WHERE id = 4;
BEGIN; DELETE FROM both_key WHERE n = 2; DELETE FROM top WHERE id = 4; COMMIT;
INSERT INTO both_loose VALUES (9, 9, 9), (9, 9, 9); DELETE FROM top WHERE id = 9;
SELECT * FROM both_loose ORDER BY 1, 2, 3; SELECT * FROM both_key; SELECT * FROM below;

-- story: foreign keys change a row twice
UPDATE top SET id = 80 WHERE id = 8;
SELECT * FROM moved;
UPDATE top SET id = 81 WHERE id = 80;

-- story: a reference whose composite value is null in part
INSERT INTO refers VALUES (1, '(,2)');
INSERT INTO refers VALUES (1, '(,1)'), (2, NULL);
INSERT INTO refers_full VALUES (1, '(,2)');
INSERT INTO refers_full VALUES (NULL, '(,1)');
INSERT INTO refers_full VALUES (1, '(,1)');

-- story: a key and another unique value taken at once
UPDATE keys SET b = 2, c = 2 WHERE b = 1;
UPDATE keys SET c = 2 WHERE b = 1;
UPDATE keys SET b = 2 WHERE b = 1;

-- story: a deferrable arbiter
INSERT INTO twice VALUES (1, 1) ON CONFLICT (a, b) DO NOTHING;
INSERT INTO twice VALUES (1, 1) ON CONFLICT ON CONSTRAINT twice_later DO NOTHING;
INSERT INTO twice SELECT 1, 1 WHERE false ON CONFLICT (b, a) DO UPDATE SET a = 2;

-- story: columns that may only be DEFAULT
UPDATE own SET "Sum" = 5 WHERE false;
UPDATE own SET (a, "Sum") = (1, 2) WHERE false;
UPDATE own SET (a, "Sum") = (1, DEFAULT) WHERE false;
UPDATE own SET (a, "Sum") = (SELECT 1, 2) WHERE false;
UPDATE own SET id = NULL WHERE false;
UPDATE own SET id = 1, nowhere = 2;
INSERT INTO own VALUES (DEFAULT, 1, DEFAULT);
INSERT INTO own VALUES (NULL, 1);
INSERT INTO own (a, id) VALUES (1, DEFAULT), (2, 7);
INSERT INTO own (id, id) VALUES (1, 2);
INSERT INTO own (a, "Sum") VALUES (1, DEFAULT), (2, 3);
INSERT INTO own (id, a) SELECT 1, 2 WHERE false;
INSERT INTO own (id, a) OVERRIDING SYSTEM VALUE SELECT 1, 2 WHERE false;
INSERT INTO own (a, "Sum") OVERRIDING SYSTEM VALUE SELECT 1, 2 WHERE false;
INSERT INTO own (id, a) OVERRIDING USER VALUE VALUES (NULL, 2);
INSERT INTO own (a) VALUES (1) ON CONFLICT (id) DO UPDATE SET "Sum" = 1;
PREPARE never AS INSERT INTO own (id) VALUES ($1);
MERGE INTO own USING (SELECT 1 WHERE false) s ON true WHEN MATCHED THEN UPDATE SET "Sum" = 1;
MERGE INTO own USING (SELECT 1 WHERE false) s ON true WHEN NOT MATCHED THEN INSERT (id) VALUES (1);
MERGE INTO own USING (SELECT 1) s ON false WHEN NOT MATCHED THEN INSERT VALUES (DEFAULT, 5, DEFAULT);
INSERT INTO own (a) VALUES (NULL);

-- story: what cannot be copied to the client
INSERT INTO own (a) VALUES (1);
COPY own ("Sum") TO STDOUT;
COPY own (a, "Sum") TO STDOUT;
COPY own (a, a) TO STDOUT;
COPY own (nowhere) TO STDOUT;
COPY own (a) TO STDOUT;
COPY shown TO STDOUT;
INSERT INTO parted VALUES (1);
COPY parted TO STDOUT;
COPY parted (id) TO STDOUT;

-- story: an action of a foreign key updates the table that its statement updates, too
MERGE INTO tree m USING (VALUES (1), (2)) s (id) ON m.id = s.id
      WHEN MATCHED AND m.id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET a = 7;
WITH gone AS (DELETE FROM tree WHERE id = 3) UPDATE tree SET a = 8 WHERE id = 1;
WITH changed AS (UPDATE tree SET a = 9 WHERE id = 1) DELETE FROM tree WHERE id = 4;
SELECT * FROM tree ORDER BY id;

-- story: an action deletes what the row that it is for refers to with RESTRICT
DELETE FROM room WHERE id = 1;
DELETE FROM guest WHERE id = 1;
INSERT INTO guest VALUES (4, 3); INSERT INTO room VALUES (4, 4);
DELETE FROM guest WHERE id = 2;
DELETE FROM guest;
SELECT * FROM guest; SELECT * FROM room;

-- story: a table that was read before a first staged row concerned it
SELECT * FROM upper_one;
INSERT INTO lower_one SELECT 1 WHERE false;
BEGIN ISOLATION LEVEL SERIALIZABLE;
DELETE FROM lower_one USING upper_one WHERE up = upper_one.id;
COMMIT;

-- story: an upsert of nothing but nulls
INSERT INTO loose VALUES (NULL) ON CONFLICT DO NOTHING RETURNING e;
INSERT INTO loose VALUES (7), (NULL), (7) ON CONFLICT DO NOTHING;

-- story: an upsert whose rows refer to each other
INSERT INTO tree VALUES (5), (60) ON CONFLICT (id) DO UPDATE SET up = 60;
INSERT INTO tree VALUES (61, 1, 62), (5) ON CONFLICT (id) DO UPDATE SET id = 62;

-- story: the access of a chained transaction after a failure
BEGIN READ ONLY; SAVEPOINT a;
SELECT 1/0;
COMMIT AND CHAIN;
INSERT INTO parent VALUES (7);
COMMIT AND CHAIN;
INSERT INTO parent VALUES (8);
COMMIT;
BEGIN READ ONLY; SAVEPOINT a; SAVEPOINT b; RELEASE a;
SELECT 1/0;
ROLLBACK AND CHAIN;
INSERT INTO parent VALUES (9);
COMMIT;
SELECT * FROM parent ORDER BY id;

-- story: of a row that moves to another partition it is told first what it refers to
UPDATE moving SET id = 11, up = 8 WHERE id = 1;
UPDATE moving SET id = 3, up = 8 WHERE id = 1;
BEGIN; SET CONSTRAINTS moving_up IMMEDIATE;
UPDATE moving SET id = 11, up = 8 WHERE id = 1;
ROLLBACK;
BEGIN; UPDATE moving SET id = 11, up = 2 WHERE id = 1; UPDATE moving SET up = 11 WHERE id = 2; COMMIT;
SELECT * FROM moving ORDER BY id;
