-- Views and partitions in staged reads: what stays production's, what is refused, and definitions that change.
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, price numeric(8, 2) DEFAULT 1, maker int);
CREATE TABLE maker (id int PRIMARY KEY, name varchar(20));
CREATE DOMAIN label AS text;
CREATE SCHEMA "Other One"; CREATE TABLE "Other One"."item" (id int PRIMARY KEY, "Na me" label);
INSERT INTO item VALUES (1, 'one', 1.5, 1), (2, 'two', 2.5, 1), (3, 'three', 3.5, NULL); INSERT INTO maker VALUES (1, 'm');
INSERT INTO "Other One".item VALUES (1, 'else');
CREATE VIEW cheap AS SELECT id, name, price FROM item WHERE price < 3;
CREATE VIEW joined WITH (security_barrier) AS
  SELECT i.id, item.name AS other, m.name, sum(i.price) OVER () FROM item i JOIN maker m ON m.id = i.maker LEFT JOIN item ON item.id = i.id + 1;
CREATE VIEW nested AS WITH item AS (SELECT 'cte' AS x) SELECT c.*, x, (SELECT count(*) FROM public.item) AS n FROM cheap c, item;
CREATE VIEW "Other One"."odd $body$" AS SELECT "Na me" AS "a""b", item.id FROM "Other One".item UNION ALL SELECT name, id FROM public.item;
CREATE TABLE drawn (id int PRIMARY KEY, line json);
CREATE VIEW grouped AS SELECT id, line, count(*) FROM drawn GROUP BY id;
CREATE RECURSIVE VIEW numbers (n) AS SELECT 1 UNION ALL SELECT n + 1 FROM numbers JOIN item ON item.id = n;
CREATE MATERIALIZED VIEW kept AS SELECT count(*) FROM item;
CREATE VIEW over_kept AS SELECT k.count, (SELECT count(*) FROM item) AS now FROM kept k;
CREATE TABLE part (id int, k int, v text, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part_2 (v text, gone int, k int NOT NULL, id int NOT NULL); ALTER TABLE part_2 DROP COLUMN gone;
ALTER TABLE part ATTACH PARTITION part_2 FOR VALUES IN (2);
CREATE TABLE part_rest PARTITION OF part DEFAULT PARTITION BY RANGE (id);
CREATE TABLE part_low PARTITION OF part_rest FOR VALUES FROM (0) TO (10); CREATE TABLE part_other PARTITION OF part_rest DEFAULT;
INSERT INTO part VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c'), (30, 3, 'd');
CREATE VIEW of_part AS SELECT * FROM part_1 UNION ALL TABLE part_low;
CREATE TABLE loot (v text);
CREATE FUNCTION steal() RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.loot VALUES ('x'); RETURN 'x'; END$$;
CREATE VIEW thief AS SELECT steal() AS v; CREATE VIEW den AS SELECT v FROM thief;

-- story: what is materialized stays as it is in production
BEGIN; DELETE FROM item;
SELECT * FROM kept;
SELECT * FROM over_kept;
ROLLBACK;

-- story: a definition that needs a key, for a column by which nobody can group, is refused
SELECT * FROM grouped; -- refused: C=0A000.*GROUP BY.* H=

-- story: partitions as targets, materialized views are none, ONLY of a partitioned table means nothing
DELETE FROM part_1 WHERE id = 0;
DELETE FROM part_rest WHERE id = -1;
DELETE FROM kept; -- refused: C=0A000.*tables behind
DELETE FROM ONLY part; -- refused: C=0A000.*leave ONLY out
SELECT * FROM ONLY part; -- refused: C=0A000.*leave ONLY out

-- story: a changed definition, and a table that can be staged by now
CREATE TABLE late (id int PRIMARY KEY); INSERT INTO late VALUES (1); -- in production
CREATE RULE quiet AS ON DELETE TO late DO INSTEAD NOTHING; CREATE VIEW seen AS SELECT id FROM late; -- in production
SELECT * FROM seen;
DROP RULE quiet ON late; -- in production
INSERT INTO late VALUES (2);
SELECT * FROM seen ORDER BY 1;
CREATE OR REPLACE VIEW seen AS SELECT id, -id AS minus FROM late; -- in production
SELECT minus FROM seen ORDER BY 1;

-- story: a view that calls what writes lets nothing through
UPDATE item SET name = v FROM (SELECT v FROM thief) s; -- refused: C=0A000.*makes a function write
UPDATE item SET name = v FROM thief; -- refused: C=0A000.*makes a function write
SELECT * FROM thief; -- refused: C=25006
UPDATE item SET name = v FROM (SELECT v FROM den) s; -- refused: C=0A000.*makes a function write
UPDATE item SET name = v FROM den; -- refused: C=0A000.*makes a function write
SELECT * FROM den; -- refused: C=25006
