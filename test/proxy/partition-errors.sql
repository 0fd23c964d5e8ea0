-- Errors about rows of a partitioned table name the partition, as PostgreSQL's do.
CREATE SCHEMA other;
CREATE TABLE top (id int, code text NOT NULL, n int CONSTRAINT n_low CHECK (n < 100), late int,
  CONSTRAINT top_key PRIMARY KEY (id), UNIQUE (id, code), CONSTRAINT top_late UNIQUE (id, late) DEFERRABLE INITIALLY DEFERRED)
  PARTITION BY RANGE (id);
CREATE TABLE other.low PARTITION OF top FOR VALUES FROM (0) TO (10);
CREATE TABLE "Middle" (late int, n int CONSTRAINT n_low CHECK (n < 100), code text NOT NULL, id int NOT NULL);
ALTER TABLE top ATTACH PARTITION "Middle" FOR VALUES FROM (10) TO (20);
CREATE TABLE high PARTITION OF top FOR VALUES FROM (20) TO (40) PARTITION BY LIST (id);
CREATE TABLE high_1 PARTITION OF high FOR VALUES IN (21, 22, 23);
CREATE TABLE high_2 PARTITION OF high FOR VALUES IN (31, 32, 33);
CREATE TABLE child (id int PRIMARY KEY, top int REFERENCES top, strict int REFERENCES top ON DELETE RESTRICT);
CREATE TABLE parent (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE below (id int, a int, b int, FOREIGN KEY (a, b) REFERENCES parent MATCH FULL,
  late int REFERENCES child DEFERRABLE INITIALLY DEFERRED) PARTITION BY HASH (id);
CREATE TABLE below_0 PARTITION OF below FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE below_1 PARTITION OF below FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO top VALUES (1, 'a', 1), (11, 'b', 2), (21, 'c', 3), (22, 'd', 4), (31, 'e', 5);
INSERT INTO child VALUES (1, 1), (2, 21), (3, 31); INSERT INTO child (id, strict) VALUES (4, 22);

-- story: of NOT NULL and CHECK
INSERT INTO top VALUES (2, NULL);
INSERT INTO top VALUES (12, 'x', 100);
INSERT INTO top VALUES (23, NULL);
UPDATE top SET n = 200 WHERE id = 31;
UPDATE top SET code = NULL, id = 32 WHERE id = 11;

-- story: of unique indexes
INSERT INTO top VALUES (1, 'x');
INSERT INTO top VALUES (11, 'x');
INSERT INTO top VALUES (32, 'x'); INSERT INTO top VALUES (32, 'y');
UPDATE top SET id = 22 WHERE id = 31;

-- story: where no partition takes the row
INSERT INTO top VALUES (50, 'x');
INSERT INTO top VALUES (29, 'x');
UPDATE top SET id = 39 WHERE id = 11;

-- story: of foreign keys of the partitions
INSERT INTO below VALUES (1, 1, 1);
INSERT INTO below VALUES (2, 1, NULL);
INSERT INTO below VALUES (3, NULL, NULL, 99);
INSERT INTO below VALUES (3); UPDATE below SET id = 2, a = 7, b = 7;

-- story: of foreign keys to the partitions
DELETE FROM top WHERE id = 1;
DELETE FROM top WHERE id = 22;
UPDATE top SET id = 23 WHERE id = 21;
UPDATE top SET id = 3 WHERE id = 31;
