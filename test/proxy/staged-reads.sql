-- Reads that see the session's staged rows merged with production's.
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO item VALUES (1, 'one'), (2, 'two');
CREATE TABLE computed (a int PRIMARY KEY, b int GENERATED ALWAYS AS (a * 2) STORED);
CREATE SCHEMA other;
CREATE TABLE other.item (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO other.item VALUES (3, 'three');

-- before each story
UPDATE item SET name = 'staged' WHERE id = 1; DELETE FROM other.item;

-- story: system columns are refused, wherever staged rows take part
SELECT ctid FROM item; -- refused: C=0A000 M=system columns
SELECT i.xmin, name FROM item i; -- refused: C=0A000 M=system columns
UPDATE item SET name = name RETURNING tableoid; -- refused: C=0A000 M=system columns
SELECT nowhere FROM item;

-- story: a message of several statements
SELECT 1; SELECT name FROM item WHERE id = 1;

-- story: COPY to the client leaves generated columns out
INSERT INTO computed VALUES (5);
COPY computed TO STDOUT;

-- story: mistakes are shown where they are
SELECT nowhere FROM item;
SELECT $$öü$$, item.name, nowhere FROM public.item, other.item;
