-- Constraints, unique indexes and generated columns of single partitions apply to their rows that are staged through the root.
CREATE TABLE event (id int, kind text, code text, n int, twice int GENERATED ALWAYS AS (n * 2) STORED, CONSTRAINT n_max CHECK (n < 100)) PARTITION BY RANGE (id);
CREATE TABLE event_low PARTITION OF event FOR VALUES FROM (0) TO (10);
CREATE TABLE event_mid (twice int GENERATED ALWAYS AS (n * 20) STORED, n int, code text, kind text, id int, CONSTRAINT n_max CHECK (n < 100)); -- since 16
CREATE TABLE event_mid (twice int GENERATED ALWAYS AS (n * 2) STORED, n int, code text, kind text, id int, CONSTRAINT n_max CHECK (n < 100)); -- until 15
ALTER TABLE event ATTACH PARTITION event_mid FOR VALUES FROM (10) TO (20);
CREATE TABLE event_rest PARTITION OF event DEFAULT PARTITION BY HASH (kind);
CREATE TABLE event_even PARTITION OF event_rest FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE event_odd PARTITION OF event_rest FOR VALUES WITH (MODULUS 2, REMAINDER 1);
ALTER TABLE event_mid ADD CONSTRAINT mid_n CHECK (n > 0), ADD CONSTRAINT a_first CHECK (code <> 'never'), ALTER code SET NOT NULL;
ALTER TABLE event_even ADD CHECK (n <> 5);
ALTER TABLE event_odd ADD CHECK (n <> 5);
CREATE UNIQUE INDEX mid_code ON event_mid (code);
CREATE UNIQUE INDEX mid_lower ON event_mid (lower(kind), n) WHERE n < 50;
CREATE UNIQUE INDEX rest_kind ON event_rest (kind);
ALTER TABLE event_low ADD CONSTRAINT low_code UNIQUE (code) DEFERRABLE INITIALLY DEFERRED;
CREATE TABLE growing (id int, n int) PARTITION BY RANGE (id);
CREATE TABLE growing_low PARTITION OF growing FOR VALUES FROM (0) TO (10);
CREATE TABLE growing_high PARTITION OF growing FOR VALUES FROM (10) TO (20);
CREATE UNIQUE INDEX growing_id ON ONLY growing (id);
CREATE UNIQUE INDEX growing_low_id ON growing_low (id);
ALTER INDEX growing_id ATTACH PARTITION growing_low_id;
INSERT INTO growing VALUES (1, 1), (11, 1);
INSERT INTO event VALUES (1, 'a', 'x', 1), (2, 'a', 'y', 2), (11, 'a', 'x', 1), (12, 'a', 'y', 2), (50, 'a', 'x', 1), (60, 'b', 'x', NULL);

-- story: CHECK and NOT NULL
INSERT INTO event VALUES (13, 'b', 'z', 0);
INSERT INTO event VALUES (13, 'b', 'never', 0);
INSERT INTO event VALUES (13, 'b', NULL, 3);
INSERT INTO event VALUES (3, 'b', NULL, -3);
INSERT INTO event VALUES (70, 'c', NULL, 5);
UPDATE event SET n = 0 WHERE id = 11;
UPDATE event SET n = 0 WHERE id = 1; UPDATE event SET id = 14 WHERE id = 1;
UPDATE event SET code = NULL WHERE id IN (1, 11);
UPDATE event SET n = n + 100 WHERE id = 12;

-- story: unique indexes
INSERT INTO event VALUES (14, 'c', 'x', 4);
INSERT INTO event VALUES (15, 'A', 'w', 1);
INSERT INTO event VALUES (15, 'A', 'w', 51);
INSERT INTO event VALUES (80, 'a', 'w', 1);
INSERT INTO event VALUES (80, 'd', 'w', 1); INSERT INTO event VALUES (81, 'd', 'w', 2);
UPDATE event SET id = 16 WHERE id = 1;
UPDATE event SET kind = 'b' WHERE id = 50;
INSERT INTO event VALUES (17, 'q', 'y', 4) ON CONFLICT DO NOTHING;
INSERT INTO event VALUES (90, 'b', 'y', 4), (4, 'b', 'v', 4) ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO event VALUES (17, 'q', 'y', 4) ON CONFLICT (code) DO NOTHING;
DELETE FROM event WHERE id = 12; UPDATE event SET code = 'y' WHERE id = 11;

-- story: constraints that can be deferred
INSERT INTO event VALUES (5, 'e', 'y', 1);
BEGIN; INSERT INTO event VALUES (5, 'e', 'y', 1); UPDATE event SET code = 'other' WHERE id = 2; COMMIT;
BEGIN; UPDATE event SET code = 'y' WHERE id < 20; SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;

-- story: generated columns
INSERT INTO event VALUES (6, 'f', 'f', 7), (18, 'f', 'f', 7), (99, 'f', 'f', 7) RETURNING id, twice;
UPDATE event SET n = n + 1 WHERE id IN (6, 18, 99) RETURNING id, twice;
UPDATE event SET id = id + 3 WHERE id = 18 RETURNING id, twice;
UPDATE event SET id = 19, code = 'moved' WHERE id = 2 RETURNING id, twice;
SELECT * FROM event ORDER BY id, code;

-- story: a unique index that not every partition has yet
INSERT INTO growing VALUES (1, 2);
INSERT INTO growing VALUES (1, 2) ON CONFLICT (id) DO NOTHING;
INSERT INTO growing VALUES (1, 2), (2, 2) ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO growing VALUES (11, 2), (12, 2), (12, 3);
INSERT INTO growing VALUES (11, 3) ON CONFLICT DO NOTHING;
SELECT * FROM growing ORDER BY id, n;
