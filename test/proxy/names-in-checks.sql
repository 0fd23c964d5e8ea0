-- Functions in checks, generated columns, defaults and domains that name functions and tables without a schema.
CREATE FUNCTION norm(p text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT lower(trim(p)) $$;
CREATE FUNCTION is_code(p text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN norm(p) ~ '^[a-z]+$'; END $$;
CREATE FUNCTION slug(p text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN replace(norm(p), ' ', '-'); END $$;
CREATE TABLE currencies (code text PRIMARY KEY);
INSERT INTO currencies VALUES ('eur'), ('usd');
CREATE FUNCTION is_currency(p text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN EXISTS (SELECT FROM currencies WHERE code = norm(p)); END $$;
CREATE FUNCTION same_text(a text, b text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN norm(a) = norm(b); END $$;
CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = same_text);
CREATE DOMAIN code AS text CHECK (is_code(VALUE));
CREATE TABLE items (id int PRIMARY KEY, code text CHECK (is_code(code)), title text DEFAULT slug('New Item'),
  slug text GENERATED ALWAYS AS (slug(title)) STORED, currency text CONSTRAINT known CHECK (is_currency(currency)),
  other text CHECK (other === code), domained code);
INSERT INTO items (id, code, title, currency) VALUES (1, ' A ', 'First One', 'EUR'), (2, 'b', 'Second', 'usd');
CREATE TABLE parted (id int, code text CHECK (is_code(code)), slug text GENERATED ALWAYS AS (slug(code)) STORED, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (100);
CREATE TABLE parted_2 (id int NOT NULL, code text CONSTRAINT parted_code_check CHECK (is_code(code)), slug text GENERATED ALWAYS AS (slug(code)) STORED, CHECK (is_currency(code)));
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (100) TO (200);
CREATE TABLE keyless (code text CHECK (is_code(code)), slug text GENERATED ALWAYS AS (slug(code)) STORED);
CREATE TABLE tagged (id int PRIMARY KEY, item int REFERENCES items ON DELETE CASCADE ON UPDATE CASCADE, code text CHECK (is_code(code) AND id > 0));
INSERT INTO tagged VALUES (1, 1, 'x'), (2, 2, 'y');

-- story: checks
INSERT INTO items (id, code, currency) VALUES (10, 'ok', 'usd') RETURNING *;
INSERT INTO items (id, code, currency) VALUES (11, 'not ok', 'usd');
INSERT INTO items (id, code, currency) VALUES (12, 'ok', 'gbp');
INSERT INTO items (id, code, other) VALUES (13, 'ok', 'nok');
INSERT INTO items (id, code, other, title) VALUES (13, 'ok', ' OK', 'Thirteen') RETURNING slug;
UPDATE items SET code = 'b1' WHERE id = 2;
UPDATE items SET code = 'c', title = 'Other Title' WHERE id = 1 RETURNING *;
UPDATE items SET currency = 'chf' WHERE id = 1;
SELECT * FROM items ORDER BY id;

-- story: domains
INSERT INTO items (id, domained) VALUES (20, 'x y');
INSERT INTO items (id, domained, title) VALUES (20, 'xy', 'Twenty') RETURNING domained;
UPDATE items SET domained = '1' WHERE id = 20;

-- story: sets and other ways
INSERT INTO items (id, code, title) SELECT g, 'set', 'Set ' || g FROM generate_series(100, 180) g;
INSERT INTO items (id, code, title) SELECT g, CASE g WHEN 290 THEN 'se t' ELSE 'set' END, 'Set ' || g FROM generate_series(200, 300) g;
UPDATE items SET title = title || ' Changed' WHERE id >= 100;
UPDATE items SET code = 'a1' WHERE id >= 100;
SELECT count(*), min(slug), max(slug) FROM items;
INSERT INTO items (id, code, title) VALUES (1, 'upserted', 'Up Serted') ON CONFLICT (id) DO UPDATE SET code = excluded.code, title = excluded.title RETURNING *;
INSERT INTO items (id, code, title) VALUES (1, 'upserted', 'Up Serted') ON CONFLICT (id) DO UPDATE SET code = '1';
MERGE INTO items i USING (VALUES (2, 'merged'), (40, 'made')) v(id, code) ON i.id = v.id
  WHEN MATCHED THEN UPDATE SET code = v.code WHEN NOT MATCHED THEN INSERT (id, code, title, currency) VALUES (v.id, v.code, 'Forty', 'eur');
SELECT * FROM items WHERE id IN (1, 2, 40) ORDER BY id;

-- story: partitions
INSERT INTO parted VALUES (1, ' Ab'), (150, 'EUR') RETURNING *;
INSERT INTO parted VALUES (2, '1');
INSERT INTO parted VALUES (151, 'abc');
UPDATE parted SET id = 152 WHERE id = 1;
UPDATE parted SET id = 3, code = 'X' WHERE id = 150 RETURNING *;
SELECT * FROM parted ORDER BY id;

-- story: without a key
INSERT INTO keyless VALUES ('a'), (' B');
INSERT INTO keyless VALUES ('1');
UPDATE keyless SET code = 'C C';
UPDATE keyless SET code = 'CC' WHERE code = 'a';
SELECT * FROM keyless ORDER BY 1;

-- story: keys that others follow
UPDATE items SET id = 50 WHERE id = 1;
SELECT * FROM tagged ORDER BY id;
DELETE FROM items WHERE id = 2;
UPDATE tagged SET code = '1' WHERE id = 1;
SELECT * FROM tagged ORDER BY id;
