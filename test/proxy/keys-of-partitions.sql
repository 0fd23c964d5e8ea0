-- Foreign keys of single partitions, in both directions, apply to their rows that are staged through the root.
CREATE TABLE store (id int PRIMARY KEY, name text);
CREATE TABLE rental (id int PRIMARY KEY, store int REFERENCES store ON UPDATE CASCADE ON DELETE RESTRICT, note text);
CREATE TABLE receipt (id int PRIMARY KEY);
CREATE TABLE "Payment" (d int, id int, rental int, store int, receipt int, note text DEFAULT 'none', PRIMARY KEY (d, id)) PARTITION BY RANGE (d);
CREATE TABLE p_one PARTITION OF "Payment" FOR VALUES FROM (0) TO (10);
CREATE TABLE p_two (note text, id int NOT NULL, receipt int, store int, rental int, d int NOT NULL);
ALTER TABLE "Payment" ATTACH PARTITION p_two FOR VALUES FROM (10) TO (20);
CREATE TABLE p_three PARTITION OF "Payment" FOR VALUES FROM (20) TO (30) PARTITION BY LIST (id);
CREATE TABLE p_three_low PARTITION OF p_three FOR VALUES IN (1, 2, 3);
CREATE TABLE p_three_high PARTITION OF p_three DEFAULT;
CREATE TABLE p_rest PARTITION OF "Payment" DEFAULT;
ALTER TABLE p_one ADD FOREIGN KEY (rental) REFERENCES rental;
ALTER TABLE p_two ADD CONSTRAINT two_rental FOREIGN KEY (rental) REFERENCES rental;
ALTER TABLE p_three ADD FOREIGN KEY (rental) REFERENCES rental ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE p_two ADD FOREIGN KEY (store) REFERENCES store ON DELETE SET NULL (store);
ALTER TABLE p_three_low ADD CONSTRAINT later FOREIGN KEY (store) REFERENCES store DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE p_rest ADD CONSTRAINT later FOREIGN KEY (store) REFERENCES store DEFERRABLE;
ALTER TABLE p_one ADD UNIQUE (id), ADD FOREIGN KEY (receipt) REFERENCES receipt;
CREATE TABLE refund (id int PRIMARY KEY, payment int REFERENCES p_one (id), strict int REFERENCES p_one (id) ON DELETE RESTRICT,
  lost int REFERENCES p_one (id) ON DELETE CASCADE ON UPDATE CASCADE, emptied int REFERENCES p_one (id) ON DELETE SET NULL ON UPDATE SET NULL);
CREATE TABLE claim (id int PRIMARY KEY, d int, payment int, FOREIGN KEY (d, payment) REFERENCES p_three (d, id));
ALTER TABLE p_two ADD CONSTRAINT two_one FOREIGN KEY (receipt) REFERENCES p_one (id);
INSERT INTO store VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
INSERT INTO rental VALUES (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, NULL), (8, NULL);
INSERT INTO receipt VALUES (1), (2);
INSERT INTO "Payment" (d, id, rental, store, receipt) VALUES (1, 1, 1, 99, 1), (2, 2, 2, 99, 1), (3, 3, NULL, NULL, NULL), (4, 4, 7, NULL, NULL),
  (5, 5, 7, NULL, NULL), (11, 1, 3, 2, 1), (12, 2, 3, 3, 2), (13, 3, NULL, NULL, NULL), (21, 1, 5, 1, NULL), (22, 2, 5, NULL, NULL),
  (23, 9, 6, 99, NULL), (24, 3, 5, 1, NULL), (50, 1, 99, 4, NULL), (51, 2, 1, NULL, NULL);
INSERT INTO refund (id, payment) VALUES (1, 3), (2, NULL), (3, NULL), (4, NULL);
UPDATE refund SET strict = 4 WHERE id = 2; UPDATE refund SET lost = 5 WHERE id = 3; UPDATE refund SET emptied = 5 WHERE id = 4;
INSERT INTO claim VALUES (1, 24, 3);
CREATE TABLE tenant (id int PRIMARY KEY);
CREATE TABLE site (tenant int, name text) PARTITION BY LIST (tenant);
CREATE TABLE site_1 PARTITION OF site FOR VALUES IN (1, 11);
CREATE TABLE site_2 PARTITION OF site FOR VALUES IN (2);
ALTER TABLE site_1 ADD FOREIGN KEY (tenant) REFERENCES tenant ON UPDATE CASCADE ON DELETE SET NULL;
INSERT INTO tenant VALUES (1), (2); INSERT INTO site VALUES (1, 'a'), (1, 'a'), (2, 'b');

-- story: from partitions
INSERT INTO "Payment" VALUES (6, 6, 77);
INSERT INTO "Payment" VALUES (14, 6, 77);
INSERT INTO "Payment" VALUES (25, 6, 77);
INSERT INTO "Payment" VALUES (60, 6, 77, 4), (61, 7, 78, NULL) RETURNING *;
INSERT INTO "Payment" VALUES (60, 8, NULL, 99);
INSERT INTO "Payment" VALUES (6, 6, 1, 77, 7);
INSERT INTO "Payment" VALUES (6, 6, 8, 77, 2), (14, 6, NULL, 77, 1), (25, 6, 8, 77, 7);
INSERT INTO "Payment" VALUES (6, 6, 8, 77, 2), (14, 6, NULL, 1, 1), (25, 6, 8, 77, 7) RETURNING d, id;
UPDATE "Payment" SET rental = 88 WHERE d = 6;
UPDATE "Payment" SET rental = 88 WHERE d = 60;
UPDATE "Payment" SET rental = rental + 1 WHERE d = 25;
UPDATE "Payment" SET note = 'x' WHERE d > 0;

-- story: rows that move
INSERT INTO "Payment" VALUES (80, 80, 800, 4, 800, NULL), (81, 81, 7, 4, NULL, NULL), (19, 19, 7, NULL, NULL, NULL), (9, 19, 7, NULL, NULL, 'free');
UPDATE "Payment" SET d = 7 WHERE d = 80;
UPDATE "Payment" SET d = 9, id = 80, rental = 7 WHERE d = 80;
UPDATE "Payment" SET d = 15 WHERE d = 80;
UPDATE "Payment" SET d = 27 WHERE d = 80;
UPDATE "Payment" SET d = 8, rental = 7, receipt = 2 WHERE d = 80;
UPDATE "Payment" SET d = 28 WHERE d = 81;
UPDATE "Payment" SET d = 82, rental = 555 WHERE d = 19;
UPDATE "Payment" SET d = 55, rental = 555 WHERE d = 2;
UPDATE "Payment" SET d = 29 WHERE d = 12 RETURNING *;
UPDATE "Payment" SET d = 83, store = 9 WHERE note = 'free';
UPDATE "Payment" SET d = 84, receipt = 999 WHERE d = 13;

-- story: what they refer to
DELETE FROM rental WHERE id = 1;
DELETE FROM rental WHERE id = 3;
UPDATE rental SET id = 33 WHERE id = 3;
DELETE FROM store WHERE id = 1;
DELETE FROM store WHERE id = 4;
DELETE FROM receipt WHERE id = 1;
UPDATE rental SET id = 55 WHERE id = 5;
SELECT * FROM "Payment" ORDER BY d, id;
DELETE FROM rental WHERE id = 6;
DELETE FROM rental WHERE id = 55;
DELETE FROM claim;
DELETE FROM rental WHERE id IN (55, 8) RETURNING id;
DELETE FROM rental WHERE store = 3;
DELETE FROM store WHERE id = 3;
SELECT * FROM "Payment" ORDER BY d, id;

-- story: to partitions
INSERT INTO refund VALUES (5, 11);
INSERT INTO refund VALUES (5, 1), (6, NULL);
INSERT INTO claim VALUES (2, 1, 1);
INSERT INTO claim VALUES (2, 21, 1);
INSERT INTO "Payment" VALUES (17, 7, NULL, NULL, 9);
INSERT INTO "Payment" VALUES (17, 7, NULL, NULL, 3);
DELETE FROM "Payment" WHERE d = 3;
DELETE FROM "Payment" WHERE d = 4;
DELETE FROM "Payment" WHERE d = 24;
DELETE FROM "Payment" WHERE d = 5 RETURNING *;
DELETE FROM "Payment" WHERE d = 13;
SELECT * FROM refund ORDER BY id;

-- story: rows that leave
INSERT INTO "Payment" (d, id) VALUES (5, 5), (21, 21), (24, 3); INSERT INTO refund VALUES (7, 5, NULL, NULL, NULL), (8, NULL, NULL, 5, NULL), (9, NULL, NULL, NULL, 5); INSERT INTO claim VALUES (9, 24, 3);
UPDATE "Payment" SET d = 33 WHERE d = 3;
UPDATE "Payment" SET d = 34 WHERE d = 4;
UPDATE "Payment" SET d = 9 WHERE d = 3;
UPDATE "Payment" SET d = 35 WHERE d = 5;
DELETE FROM refund WHERE id = 7; UPDATE "Payment" SET d = 35 WHERE d = 5;
SELECT * FROM refund ORDER BY id;
UPDATE "Payment" SET d = 35 WHERE d = 24;
UPDATE "Payment" SET id = 2 WHERE d = 24;
UPDATE "Payment" SET id = 12 WHERE d = 24;
UPDATE "Payment" SET d = 36 WHERE d = 21;
UPDATE "Payment" SET d = 37, id = 77 WHERE d = 1;
DELETE FROM "Payment" WHERE d = 24;

-- story: keys that change
INSERT INTO "Payment" (d, id) VALUES (6, 66); INSERT INTO refund VALUES (10, NULL, NULL, 66, NULL), (11, NULL, NULL, NULL, 66);
UPDATE "Payment" SET id = 67 WHERE d = 6 AND id = 66;
SELECT * FROM refund ORDER BY id;
UPDATE "Payment" SET id = 30 WHERE d = 9;
UPDATE "Payment" SET id = 40 WHERE d = 4;
DELETE FROM refund WHERE strict IS NOT NULL;
UPDATE "Payment" SET id = 40 WHERE d = 4;
UPDATE "Payment" SET id = 31 WHERE d = 11;

-- story: an action moves no row to another partition
UPDATE tenant SET id = 11 WHERE id = 1;
SELECT * FROM site ORDER BY 1;
UPDATE tenant SET id = 3 WHERE id = 2;
UPDATE tenant SET id = 2 WHERE id = 11; -- refused: C=23514.*new row for relation "site_1" violates partition constraint
DELETE FROM tenant WHERE id = 11; -- refused: C=23514.*new row for relation "site_1" violates partition constraint
DELETE FROM site; DELETE FROM tenant WHERE id = 11;

-- story: constraints that can be deferred
INSERT INTO "Payment" VALUES (28, 1, NULL, 44);
BEGIN; INSERT INTO "Payment" VALUES (28, 1, NULL, 44); INSERT INTO store VALUES (44); COMMIT;
BEGIN; INSERT INTO "Payment" VALUES (70, 1, NULL, 45);
ROLLBACK;
BEGIN; SET CONSTRAINTS later DEFERRED; INSERT INTO "Payment" VALUES (70, 1, NULL, 45); INSERT INTO store VALUES (45); COMMIT;
BEGIN; DELETE FROM store WHERE id = 44; SET CONSTRAINTS later IMMEDIATE;
ROLLBACK;
BEGIN; SET CONSTRAINTS ALL DEFERRED; DELETE FROM store WHERE id = 45; INSERT INTO store VALUES (45, 'again'); COMMIT;

-- story: TRUNCATE
TRUNCATE rental;
TRUNCATE refund;
TRUNCATE receipt CASCADE;
SELECT d, id FROM "Payment" ORDER BY d, id;
SELECT * FROM refund;

-- story: statements of many kinds
MERGE INTO "Payment" p USING (VALUES (1, 1, 8), (18, 8, 7)) s (d, id, rental) ON p.d = s.d AND p.id = s.id
  WHEN MATCHED THEN UPDATE SET rental = s.rental WHEN NOT MATCHED THEN INSERT (d, id, rental) VALUES (s.d, s.id, s.rental);
MERGE INTO "Payment" p USING (VALUES (1, 1, 800)) s (d, id, rental) ON p.d = s.d AND p.id = s.id WHEN MATCHED THEN UPDATE SET rental = s.rental;
INSERT INTO "Payment" VALUES (2, 2, 800) ON CONFLICT (d, id) DO UPDATE SET rental = excluded.rental;
INSERT INTO "Payment" VALUES (2, 2, 8) ON CONFLICT (d, id) DO UPDATE SET rental = excluded.rental;
WITH gone AS (DELETE FROM "Payment" WHERE d = 1 RETURNING rental) DELETE FROM rental USING gone WHERE rental.id = gone.rental;
DELETE FROM rental WHERE id = 1;
UPDATE rental SET note = 'x', store = 4 WHERE id < 9;
