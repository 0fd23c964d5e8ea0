-- Exclusion constraints over ranges, on every version.
CREATE EXTENSION btree_gist;
CREATE TABLE slot (id int, during int4range, note text, PRIMARY KEY (id, during), EXCLUDE USING gist (id WITH =, during WITH &&));
INSERT INTO slot VALUES (1, '[1,5)', 'a'), (1, '[5,10)', 'b'), (2, '[1,10)', 'c');

-- story: ranges that exclude each other
UPDATE slot SET during = '[1,12)' WHERE id = 2;
UPDATE slot SET during = '[1,6)' WHERE id = 2; INSERT INTO slot VALUES (2, '[6,9)', 'd');
INSERT INTO slot VALUES (2, '[5,9)', 'e');
INSERT INTO slot VALUES (2, 'empty', 'e'), (3, 'empty', 'f');
DELETE FROM slot WHERE id = 2 AND during <> '[6,9)'; INSERT INTO slot VALUES (2, '[1,3)', 'g'), (2, '[3,6)', 'h');
UPDATE slot SET during = int4range(lower(during) + 1, upper(during) + 1) WHERE id = 1;
DELETE FROM slot WHERE id = 1; INSERT INTO slot VALUES (1, '[2,8)', 'i');
SELECT * FROM slot ORDER BY id, during;
