-- Rows that move to another partition: PostgreSQL deletes and inserts them, and checks them accordingly.
CREATE TABLE top (id int PRIMARY KEY);
CREATE TABLE wander (code int PRIMARY KEY, up int REFERENCES top) PARTITION BY RANGE (code);
CREATE TABLE wander_low PARTITION OF wander FOR VALUES FROM (0) TO (10);
CREATE TABLE wander_high PARTITION OF wander FOR VALUES FROM (10) TO (20);
CREATE TABLE stays (code int NOT NULL REFERENCES wander ON UPDATE SET NULL);
CREATE TABLE itself (code int PRIMARY KEY, up int REFERENCES itself ON UPDATE RESTRICT) PARTITION BY RANGE (code);
CREATE TABLE itself_low PARTITION OF itself FOR VALUES FROM (0) TO (10);
CREATE TABLE itself_high PARTITION OF itself FOR VALUES FROM (10) TO (20);
INSERT INTO itself VALUES (1, 1), (2, NULL), (3, 2);
INSERT INTO top VALUES (2);
INSERT INTO wander VALUES (1), (2);
INSERT INTO stays VALUES (1);

-- story: which of the constraints that they break is told, and the approval
UPDATE wander SET code = 11, up = 77 WHERE code = 1;
UPDATE wander SET code = 3, up = 77 WHERE code = 1;
UPDATE wander SET code = 11 WHERE code = 1;
UPDATE wander SET code = 11, up = 77 WHERE code = 2;
UPDATE wander SET code = 11, up = 2 WHERE code = 2;
UPDATE itself SET code = 11 WHERE code = 1;
UPDATE itself SET code = 4 WHERE code = 1;
UPDATE itself SET code = 13 WHERE code = 3;
UPDATE itself SET code = 12 WHERE code = 2;
SELECT * FROM wander ORDER BY code; SELECT * FROM itself ORDER BY code;
