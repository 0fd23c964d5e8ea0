-- Keys WITHOUT OVERLAPS and foreign keys with PERIOD, new in PostgreSQL 18: checked over all rows that cover a period.
CREATE TABLE room (id int, during int4range, note text, PRIMARY KEY (id, during WITHOUT OVERLAPS));
INSERT INTO room VALUES (1, '[1,5)', 'a'), (1, '[5,10)', 'b'), (1, '[20,30)', 'c'), (2, '[1,100)', 'd'), (3, '[1,10)', 'e'),
  (4, '[1,100)', 'f'), (5, '[1,10)', 'g'), (6, '[1,10)', 'h'), (6, '[10,20)', 'i'), (7, '[1,10)', 'j'), (8, '[1,50)', 'k'), (10, '[1,10)', 'l');
CREATE TABLE stay (id int PRIMARY KEY, room int, during int4range, note text,
  CONSTRAINT stay_room FOREIGN KEY (room, PERIOD during) REFERENCES room (id, PERIOD during));
INSERT INTO stay VALUES (1, 1, '[2,8)'), (2, 2, '[10,20)'), (3, 2, '[30,40)'), (4, NULL, '[1,9)'), (5, 9, NULL), (6, 6, '[5,15)'),
  (7, 7, '[2,4)'), (8, 8, '[2,20)'), (9, 8, '[30,40)');
CREATE TABLE plan (id int PRIMARY KEY, room int, during int4range,
  CONSTRAINT plan_room FOREIGN KEY (room, PERIOD during) REFERENCES room (id, PERIOD during) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO plan VALUES (1, 8, '[5,45)');
CREATE TABLE shift (who text, at int4multirange, UNIQUE (who, at WITHOUT OVERLAPS));
INSERT INTO shift VALUES ('ann', '{[1,3),[5,9)}'), ('ann', '{[3,5)}'), ('bob', '{[1,9)}'), (NULL, '{[1,9)}'), ('cy', NULL);
CREATE TABLE duty (id int PRIMARY KEY, who text, at int4multirange, FOREIGN KEY (who, PERIOD at) REFERENCES shift (who, PERIOD at) MATCH FULL);
INSERT INTO duty VALUES (1, 'ann', '{[2,6)}'), (2, NULL, NULL);
CREATE TABLE span (kind int4range, during int4range, next int4range, PRIMARY KEY (kind, during WITHOUT OVERLAPS),
  CONSTRAINT span_next FOREIGN KEY (kind, PERIOD next) REFERENCES span);
INSERT INTO span VALUES ('[1,3)', '[1,5)', '[2,9)'), ('[1,3)', '[5,10)', NULL), ('[2,4)', '[1,5)', NULL);
CREATE TABLE zone (id int, during int4range, PRIMARY KEY (id, during WITHOUT OVERLAPS)) PARTITION BY LIST (id);
CREATE TABLE zone_one PARTITION OF zone FOR VALUES IN (1);
CREATE TABLE zone_rest PARTITION OF zone DEFAULT;
CREATE TABLE visit (zone int, during int4range, CONSTRAINT visit_zone FOREIGN KEY (zone, PERIOD during) REFERENCES zone) PARTITION BY LIST (zone);
CREATE TABLE visit_one PARTITION OF visit FOR VALUES IN (1);
CREATE TABLE visit_rest PARTITION OF visit DEFAULT;
INSERT INTO zone VALUES (1, '[1,5)'), (1, '[5,10)'), (2, '[1,10)'), (3, '[1,10)');
INSERT INTO visit VALUES (1, '[2,8)'), (2, '[2,4)');

-- story: keys whose ranges move
UPDATE room SET during = '[1,12)' WHERE id = 3;
UPDATE room SET note = 'x' WHERE id = 3;
UPDATE room SET during = '[1,6)' WHERE id = 3; INSERT INTO room VALUES (3, '[6,9)', 'f');
SELECT * FROM room ORDER BY id, during;
DELETE FROM room WHERE id = 3 AND during = '[6,9)';
SELECT * FROM room ORDER BY id, during;
INSERT INTO room VALUES (3, '[5,9)', 'f');
INSERT INTO room VALUES (3, 'empty', 'f');
UPDATE room SET during = 'empty' WHERE id = 3;
UPDATE room SET during = '[6,12)', note = note || 'y' WHERE id = 3; UPDATE room SET note = note || 'z' WHERE id = 3;
SELECT * FROM room ORDER BY id, during;
DELETE FROM room WHERE id = 3; INSERT INTO room VALUES (3, '[1,3)', 'g'), (3, '[3,20)', 'h');
SELECT * FROM room ORDER BY id, during;
INSERT INTO room VALUES (3, '[2,4)', 'i'); UPDATE room SET during = '[2,5)' WHERE note = 'h';
INSERT INTO room VALUES (3, '[2,4)', 'i') ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO room VALUES (3, '[2,4)', 'i') ON CONFLICT ON CONSTRAINT room_pkey DO NOTHING RETURNING id;
INSERT INTO room VALUES (3, '[2,4)', 'i') ON CONFLICT (id, during) DO NOTHING RETURNING id;
INSERT INTO room VALUES (3, '[2,4)', 'i') ON CONFLICT ON CONSTRAINT room_pkey DO UPDATE SET note = 'u';
UPDATE room SET during = int4range(lower(during) + 1, upper(during) + 1) WHERE id = 3;
UPDATE room SET during = int4range(lower(during) + 100, upper(during) + 100) WHERE id = 3;
MERGE INTO room USING (VALUES (3, int4range(101, 103)), (3, int4range(1, 2))) v (id, during) ON room.id = v.id AND room.during && v.during
     WHEN MATCHED THEN UPDATE SET during = room.during * v.during, note = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.during, 'new');
SELECT * FROM room ORDER BY id, during;

-- story: rows that merge and split
DELETE FROM room WHERE id = 1 AND during = '[20,30)'; INSERT INTO room VALUES (1, '[20,25)', 'p'), (1, '[25,30)', 'q');
DELETE FROM room WHERE id = 1 AND during && '[20,30)'; INSERT INTO room VALUES (1, '[18,31)', 'r');
SELECT * FROM room ORDER BY id, during;

-- story: periods that rows refer to
INSERT INTO stay VALUES (20, 1, '[1,10)');
INSERT INTO stay VALUES (21, 1, '[1,11)');
INSERT INTO stay VALUES (21, 1, '[9,25)'), (22, 1, '[1,2)');
INSERT INTO stay VALUES (21, 1, '[12,15)');
INSERT INTO stay VALUES (21, 99, '[1,2)');
INSERT INTO stay VALUES (21, 1, 'empty');
INSERT INTO stay VALUES (21, 99, 'empty');
INSERT INTO stay VALUES (21, 99, NULL), (22, NULL, '[1,2)'), (23, NULL, NULL);
INSERT INTO stay VALUES (24, 1, '[1,)');
INSERT INTO room VALUES (1, '[10,15)', 'n'); INSERT INTO stay VALUES (25, 1, '[1,15)');
UPDATE stay SET during = '[1,16)' WHERE id = 25;
UPDATE stay SET during = '[3,14)' WHERE id = 25;
UPDATE stay SET during = 'empty' WHERE id = 7;
UPDATE stay SET room = 8 WHERE id = 7;
UPDATE stay SET room = 3 WHERE id = 1; UPDATE stay SET room = 1 WHERE id = 1;
DELETE FROM stay WHERE id = 25;
SELECT * FROM stay ORDER BY id;

-- story: periods that are taken away
DELETE FROM room WHERE id = 6 AND during = '[1,10)';
DELETE FROM room WHERE id = 6;
UPDATE room SET during = '[1,11)' WHERE id = 2;
UPDATE room SET during = '[10,40)' WHERE id = 2;
UPDATE room SET id = 12 WHERE id = 2;
UPDATE room SET note = 'same' WHERE id = 2;
UPDATE room SET during = '[5,25)' WHERE id = 2;
DELETE FROM room WHERE id = 5;
INSERT INTO room VALUES (2, '[40,100)', 'after');
DELETE FROM room WHERE id = 2 AND during @> 50;
UPDATE room SET during = '[10,30)' WHERE id = 2;
UPDATE stay SET during = '[11,12)' WHERE id = 2; DELETE FROM stay WHERE id = 3; UPDATE room SET during = '[11,12)' WHERE id = 2;
BEGIN; DELETE FROM stay WHERE id = 6; DELETE FROM room WHERE id = 6; INSERT INTO room VALUES (6, '[4,16)', 'l'); INSERT INTO stay VALUES (6, 6, '[4,16)'); COMMIT;
TRUNCATE room;
SELECT * FROM room ORDER BY id, during;
SELECT * FROM stay ORDER BY id;

-- story: one period for another
UPDATE room SET during = '[2,40)' WHERE id = 8;
UPDATE room SET id = 9 - id, during = '[1,50)' WHERE id IN (1, 8) AND during @> 7;
INSERT INTO room VALUES (8, '[50,60)', 'end'); UPDATE room SET during = '[2,50)' WHERE id = 8 AND note = 'k';
MERGE INTO room USING (VALUES (8, 2)) v (id, at) ON room.id = v.id AND room.during @> v.at WHEN MATCHED THEN DELETE;
SELECT * FROM room ORDER BY id, during;

-- story: what waits until COMMIT
BEGIN; INSERT INTO plan VALUES (30, 3, '[1,30)'); INSERT INTO room VALUES (3, '[20,30)', 'late'); COMMIT;
BEGIN; INSERT INTO plan VALUES (31, 4, '[1,100)'); DELETE FROM room WHERE id = 4; INSERT INTO room VALUES (4, '[1,60)', 'x'), (4, '[60,100)', 'y'); COMMIT;
BEGIN; DELETE FROM stay WHERE room = 8; DELETE FROM room WHERE id = 8; SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
BEGIN; INSERT INTO plan VALUES (32, 4, '[1,101)');
COMMIT;
BEGIN; INSERT INTO plan VALUES (32, 4, '[1,101)'); UPDATE plan SET during = '[1,99)' WHERE id = 32; COMMIT;
BEGIN; INSERT INTO plan VALUES (33, 4, '[1,101)'); UPDATE plan SET during = 'empty' WHERE id = 33;
COMMIT;
BEGIN; SET CONSTRAINTS ALL IMMEDIATE; WITH gone AS (DELETE FROM room WHERE id = 4 RETURNING id) INSERT INTO room SELECT min(id), '[1,200)', 'whole' FROM gone; COMMIT;
SELECT * FROM plan ORDER BY id;

-- story: multiranges and MATCH FULL
INSERT INTO duty VALUES (10, 'ann', '{[1,9)}'), (11, 'bob', '{[1,2),[8,9)}');
INSERT INTO duty VALUES (12, 'ann', '{[1,2),[8,10)}');
INSERT INTO duty VALUES (12, 'ann', NULL);
INSERT INTO duty VALUES (12, NULL, '{[1,2)}');
INSERT INTO duty VALUES (12, 'ann', '{}');
UPDATE duty SET at = NULL WHERE id = 10;
UPDATE shift SET at = '{[3,4)}' WHERE at = '{[3,5)}';
UPDATE shift SET at = '{[1,3),[5,8)}' WHERE who = 'ann' AND at @> 6;
INSERT INTO shift VALUES ('cy', '{}');
INSERT INTO shift VALUES (NULL, '{}');
DELETE FROM shift WHERE who = 'ann';
DELETE FROM shift WHERE who IS NULL;
INSERT INTO shift VALUES ('ann', '{[2,4)}');
SELECT * FROM shift ORDER BY who, at; SELECT * FROM duty ORDER BY id;

-- story: a table that refers to itself
INSERT INTO span VALUES ('[2,4)', '[5,9)', '[1,9)');
INSERT INTO span VALUES ('[2,4)', '[20,30)', '[1,25)');
DELETE FROM span WHERE kind = '[2,4)';
DELETE FROM span WHERE kind = '[1,3)' AND during = '[5,10)';
UPDATE span SET next = '[2,5)' WHERE next IS NOT NULL; DELETE FROM span WHERE kind = '[1,3)' AND during = '[5,10)';
DELETE FROM span;

-- story: partitioned tables
INSERT INTO visit VALUES (1, '[1,10)'), (2, '[4,9)');
INSERT INTO visit VALUES (1, '[1,11)');
INSERT INTO visit VALUES (2, '[1,11)');
INSERT INTO zone VALUES (1, '[4,6)');
INSERT INTO zone VALUES (2, 'empty');
INSERT INTO zone VALUES (1, '[10,20)'); INSERT INTO visit VALUES (1, '[9,12)');
UPDATE visit SET zone = 3 WHERE zone = 1;
UPDATE visit SET zone = 3 WHERE zone = 2;
UPDATE zone SET during = '[2,10)' WHERE id = 2;
DELETE FROM zone WHERE id = 1 AND during @> 6;
UPDATE zone SET during = '[1,4)' WHERE id = 3;
UPDATE zone SET id = 1, during = '[30,40)' WHERE id = 3;
SELECT * FROM zone ORDER BY id, during; SELECT * FROM visit ORDER BY zone, during;
