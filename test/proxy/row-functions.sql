-- Functions that take rows of tables: computed columns, in attribute notation and as calls, in staged reads and writes.
CREATE TABLE person (id int PRIMARY KEY, gone int, first text, last text, born date, size int GENERATED ALWAYS AS (length(first)) STORED, tags text[]);
ALTER TABLE person DROP COLUMN gone;
INSERT INTO person (id, first, last, born) VALUES (1, 'Ada', 'Byron', '1815-12-10'), (2, 'Bo', NULL, NULL), (3, NULL, NULL, NULL);
CREATE TABLE kept (id int PRIMARY KEY, t text);
CREATE TABLE pet (id int PRIMARY KEY, owner int REFERENCES person, name text, label text);
INSERT INTO pet VALUES (1, 1, 'Rex'), (2, NULL, 'Tom'), (3, 2, 'Ono');
CREATE SCHEMA "Other S";
CREATE TABLE "Other S"."Big ""x""" ("Id" int PRIMARY KEY, "select" text);
INSERT INTO "Other S"."Big ""x""" VALUES (1, 'a');
CREATE FUNCTION "Other S".shown("Other S"."Big ""x""") RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT $1."Id" || coalesce($1."select", '-') $$;
CREATE FUNCTION full_name(p person) RETURNS text LANGUAGE sql STABLE AS $$ SELECT concat_ws(' ', p.first, p.last) || p.size $$;
CREATE FUNCTION is_there(p person) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN p IS NOT DISTINCT FROM NULL THEN 'none' WHEN p IS NULL THEN 'nulls' ELSE 'there' END $$;
CREATE FUNCTION age_at(p person, year int DEFAULT 1850) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN year - extract(year FROM p.born); END $$;
CREATE FUNCTION kids(p person) RETURNS SETOF int LANGUAGE sql STABLE AS $$ SELECT generate_series(1, p.size) $$;
CREATE FUNCTION full_name(t pet) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'pet ' || t.name $$;
CREATE FUNCTION note(p pet) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'row of ' || p.id $$;
CREATE FUNCTION note(p text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'text ' || p $$;
CREATE FUNCTION volatile_one(p pet) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT 'row of ' || p.id $$;
CREATE FUNCTION writing(p pet) RETURNS int LANGUAGE sql VOLATILE AS $$ INSERT INTO kept VALUES (p.id + 100, 'written') RETURNING id $$;
CREATE DOMAIN email AS text CHECK (VALUE LIKE '%@%');
CREATE TABLE account (id int PRIMARY KEY, mail email NOT NULL, name varchar(5), cost numeric(6, 2));
INSERT INTO account VALUES (1, 'a@b', 'abc', 3.5);
CREATE FUNCTION host(a account) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT split_part(a.mail, '@', 2) || a.name || a.cost $$;
CREATE TABLE part (id int, kind int, name text, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
CREATE TABLE part_1 (kind int NOT NULL, name text, id int NOT NULL);
ALTER TABLE part ATTACH PARTITION part_1 FOR VALUES IN (1);
CREATE TABLE part_2 PARTITION OF part FOR VALUES IN (2);
INSERT INTO part VALUES (1, 1, 'one'), (2, 2, 'two');
CREATE FUNCTION named(p part) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT p.kind || p.name $$;

-- before each story
UPDATE person SET last = 'Lovelace' WHERE id = 1;
UPDATE pet SET name = 'Max' WHERE id = 3;

-- story: reads
INSERT INTO person (id, first) VALUES (4, 'New');
SELECT full_name(p), p.id FROM person p ORDER BY p.id;
SELECT full_name(person), person.full_name FROM person ORDER BY id;
SELECT full_name(p.*) AS n FROM person p WHERE p.full_name LIKE 'A%' OR full_name(p) = 'New3' ORDER BY p.full_name DESC, age_at(p, year => 1900);
SELECT full_name(p => p), age_at(year => 1840, p => p), public.full_name(p) FROM public.person p ORDER BY p.id;
SELECT public.person.full_name, public.person.first, full_name(public.person.*) FROM public.person WHERE public.person.age_at = 35;
SELECT t.id, p.full_name, is_there(p), p.is_there, is_there(p.*), t.full_name FROM pet t LEFT JOIN person p ON p.id = t.owner ORDER BY t.id;
SELECT t.id, is_there(p) FROM person p RIGHT JOIN pet t ON p.id = t.owner ORDER BY t.id;
SELECT t.id, p.id, is_there(p), full_name(t) FROM person p FULL JOIN pet t ON p.id = t.owner ORDER BY 1, 2;
SELECT p.id, (SELECT string_agg(t.full_name, ', ' ORDER BY t.id) FROM pet t WHERE t.owner = p.id AND full_name(p) <> '') FROM person p ORDER BY p.id;
SELECT p.id, k FROM person p, LATERAL kids(p.*) k ORDER BY 1, 2;
SELECT * FROM (SELECT p.id, p.full_name AS n FROM person p) s WHERE s.n LIKE '%L%';
WITH named AS (SELECT full_name(p) AS n FROM person p WHERE p.id < 3) SELECT n FROM named ORDER BY n;
SELECT full_name, count(*) FROM (SELECT p.full_name FROM person p) s GROUP BY full_name ORDER BY 1;
SELECT p.full_name, count(*) FROM person p GROUP BY p.full_name ORDER BY 1;
SELECT p.id, p.full_name, count(t.id) FROM person p LEFT JOIN pet t ON t.owner = p.id GROUP BY p.id ORDER BY p.id;
SELECT "Big ""x""".shown, "Other S".shown("Big ""x"""), "Other S".shown(b) FROM "Other S"."Big ""x""" CROSS JOIN "Other S"."Big ""x""" b;
UPDATE "Other S"."Big ""x""" SET "select" = 'b';
SET search_path = public, "Other S";
SELECT "Big ""x""".shown, shown("Big ""x""") FROM "Other S"."Big ""x""";
SELECT note(note.*), note.note, note(note.name) FROM pet note;
SELECT note(row), row.note FROM pet row; -- refused: does not exist
SELECT s.note FROM pet note, (SELECT note(name) FROM pet) s;
SELECT p.nothing FROM person p;
SELECT nothing(p.id) FROM person p;
SELECT full_name(t.id) FROM pet t;
SELECT row_to_json(p), to_jsonb(p) -> 'first', count(p) OVER (), p::text FROM person p ORDER BY p.id;

-- story: domains and partitions
UPDATE account SET mail = 'c@d';
INSERT INTO account VALUES (2, 'e@f', 'xyz', 1);
SELECT a.host, host(a) FROM account a ORDER BY a.id;
UPDATE part SET name = name || '!';
SELECT p.named, named(p) FROM part p ORDER BY p.id;
SELECT named(part) FROM part ORDER BY id;
UPDATE part SET name = named(part) RETURNING part.named, named(part);
UPDATE account SET name = left(host(account), 5) WHERE host(account) LIKE '%d%' RETURNING host(account);

-- story: writes
UPDATE pet SET label = full_name(pet) WHERE full_name(pet) LIKE '%a%' RETURNING id, label, full_name(pet);
UPDATE pet t SET label = t.full_name || coalesce(full_name(p), '?') FROM person p WHERE p.id = t.owner AND full_name(p) <> '';
UPDATE person SET last = full_name(person), tags = ARRAY[person.full_name];
UPDATE pet SET label = is_there(p) FROM pet o LEFT JOIN person p ON p.id = o.owner WHERE o.id = pet.id;
INSERT INTO kept SELECT p.id, p.full_name FROM person p ORDER BY p.id RETURNING t;
INSERT INTO person (id, first) VALUES (9, 'Nine') RETURNING full_name(person), is_there(person);
DELETE FROM person WHERE person.full_name IN (SELECT full_name(p) FROM person p WHERE p.id = 9) RETURNING full_name(person), is_there(person);
UPDATE pet SET label = pet.full_name WHERE pet.full_name = 'pet Tom';
UPDATE pet SET label = 'x' WHERE pet.full_name = 'pet Tom'; -- refused: full_name does not exist
UPDATE pet SET label = 'x' WHERE full_name(pet) = 'pet Tom';
UPDATE pet SET label = 'yy' WHERE full_name(pet) = 'pet Rex';
UPDATE pet SET label = volatile_one(pet);
UPDATE pet SET label = pet.volatile_one; -- refused: cannot be run
SELECT pet.writing FROM pet; -- refused: read-only
SELECT writing(pet) FROM pet ORDER BY 1;
DELETE FROM kept WHERE EXISTS (SELECT FROM person p WHERE p.id = kept.id AND p.full_name LIKE '%ada%');
INSERT INTO kept VALUES (5, (SELECT full_name(p) FROM person p WHERE p.id = 1)) ON CONFLICT DO NOTHING;
DO $$ BEGIN UPDATE kept SET t = 'done'; END $$;
SELECT * FROM pet ORDER BY id;
SELECT * FROM kept ORDER BY id;
SELECT * FROM person ORDER BY id;

-- story: names that may be columns
SELECT note(name), name.note FROM pet name ORDER BY name.id;
SELECT note(p), p.id FROM (SELECT id, name AS p FROM pet) s JOIN pet p ON p.id = s.id ORDER BY 2;
