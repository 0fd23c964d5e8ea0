-- Inheritance trees: MERGE, children that cannot be staged, and trees that change.
CREATE TABLE stock (id int PRIMARY KEY, n int); CREATE TABLE stock_old (since date) INHERITS (stock);
INSERT INTO stock VALUES (1, 10); INSERT INTO stock_old VALUES (2, 20, '2020-01-01'), (2, 21, NULL);
CREATE TABLE ruled (id int PRIMARY KEY); CREATE TABLE ruled_child () INHERITS (ruled);
CREATE RULE quiet AS ON DELETE TO ruled_child DO INSTEAD NOTHING;
INSERT INTO ruled VALUES (1); INSERT INTO ruled_child VALUES (2);
CREATE TABLE line (id int PRIMARY KEY); CREATE TABLE line_1 (PRIMARY KEY (id)) INHERITS (line);
CREATE TABLE line_2 (id int PRIMARY KEY); INSERT INTO line VALUES (1); INSERT INTO line_1 VALUES (2); INSERT INTO line_2 VALUES (3);

-- story: MERGE, where PostgreSQL merges into views
MERGE INTO stock s USING (VALUES (1, 5), (2, 7), (3, 9)) v (id, n) ON s.id = v.id WHEN MATCHED AND v.n = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n + v.n WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n); -- since 17
MERGE INTO stock s USING (VALUES (1, 5), (2, 7), (3, 9)) v (id, n) ON s.id = v.id WHEN MATCHED AND v.n = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n + v.n WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n); -- refused: C=0A000 -- until 16
MERGE INTO ONLY stock s USING (VALUES (1, 5), (2, 7), (3, 9)) v (id, n) ON s.id = v.id WHEN MATCHED AND v.n = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n + v.n WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n); -- until 16
SELECT * FROM stock ORDER BY id, n;
SELECT * FROM stock_old ORDER BY n;
MERGE INTO stock s USING generate_series(1, 2) ON s.id = 2 WHEN MATCHED THEN DELETE; -- since 17

-- story: rows of a child that cannot be staged are read, and stand in the way of writes through its parent
DELETE FROM ruled; -- refused: C=0A000.*"ruled_child": it has rules
DELETE FROM ruled WHERE id = 7;
INSERT INTO ruled VALUES (3);
UPDATE ONLY ruled SET id = id + 10;
SELECT id FROM ruled ORDER BY 1;

-- story: children that come and go while a session lives
UPDATE line SET id = id + 10;
SELECT id FROM line ORDER BY 1;
ALTER TABLE line_2 INHERIT line; -- in production
SELECT id FROM line ORDER BY 1;
UPDATE line SET id = id + 10;
SELECT id FROM line ORDER BY 1;
ALTER TABLE line_1 ADD COLUMN extra int DEFAULT 4; -- in production
UPDATE line SET id = id + 1;
ALTER TABLE line_1 NO INHERIT line; -- in production
SELECT id FROM line ORDER BY 1;
DELETE FROM line WHERE id = 14;

-- story: a table behind a view becomes part of a tree
CREATE TABLE stem (id int PRIMARY KEY); CREATE VIEW stems AS SELECT id FROM stem; -- in production
INSERT INTO stems VALUES (1); DELETE FROM stem;
CREATE TABLE leaf () INHERITS (stem); INSERT INTO leaf VALUES (2); -- in production
SELECT * FROM stems; -- by other
DELETE FROM stems; -- by other
SELECT * FROM stems;
INSERT INTO leaf VALUES (3); ALTER TABLE leaf NO INHERIT stem; -- in production
INSERT INTO stems VALUES (4);
SELECT * FROM stems; -- by other
SELECT * FROM leaf; -- by other
CREATE TABLE free (id int PRIMARY KEY); CREATE VIEW frees AS SELECT id FROM free; -- in production
BEGIN; INSERT INTO frees VALUES (1); ROLLBACK;
CREATE TABLE freed () INHERITS (free); INSERT INTO freed VALUES (2); -- in production
SELECT * FROM frees; -- by other
