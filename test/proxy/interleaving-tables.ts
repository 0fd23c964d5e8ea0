/** The tables that connections of one session share: with keys, without, partitioned, and linked by foreign keys. */
export const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL, code text UNIQUE);
CREATE TABLE part (id int PRIMARY KEY, item bigint REFERENCES item ON UPDATE CASCADE);
CREATE TABLE note (id int PRIMARY KEY, item int REFERENCES item ON DELETE CASCADE);
CREATE TABLE tag (id int PRIMARY KEY, code text REFERENCES item (code) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE slot (item int REFERENCES item ON UPDATE CASCADE ON DELETE CASCADE, no int, n int, PRIMARY KEY (item, no));
CREATE TABLE area (zone int, id int, n int, PRIMARY KEY (zone, id)) PARTITION BY LIST (zone);
CREATE TABLE area_1 PARTITION OF area FOR VALUES IN (1);
CREATE TABLE area_2 PARTITION OF area FOR VALUES IN (2);
CREATE TABLE mark (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE line (n int, code text);
CREATE TABLE span (id int PRIMARY KEY, during int4range, EXCLUDE USING gist (during WITH &&));`;

/** Replaces all rows with the first ones. */
export const fill = `
DELETE FROM part; DELETE FROM note; DELETE FROM tag; DELETE FROM slot; DELETE FROM item;
DELETE FROM area; DELETE FROM mark; DELETE FROM line; DELETE FROM span;
INSERT INTO item SELECT g, 0, 'c' || g FROM generate_series(1, 4) g;
INSERT INTO slot VALUES (1, 1, 0);
INSERT INTO area VALUES (1, 1, 0), (1, 2, 0);
INSERT INTO mark VALUES (1, 0), (4, 0);
INSERT INTO line VALUES (0, 'a'), (0, 'b');
INSERT INTO span VALUES (1, '[1,5)');`;

/** All rows, in a fixed order. */
export const remains = `SELECT 'item' AS name, item.*::text FROM item UNION ALL SELECT 'part', part.*::text FROM part
  UNION ALL SELECT 'note', note.*::text FROM note UNION ALL SELECT 'tag', tag.*::text FROM tag
  UNION ALL SELECT 'slot', slot.*::text FROM slot UNION ALL SELECT 'area', area.*::text FROM area
  UNION ALL SELECT 'mark', mark.*::text FROM mark
  UNION ALL SELECT 'line', line.*::text FROM line UNION ALL SELECT 'span', span.*::text FROM span ORDER BY 1, 2`;
