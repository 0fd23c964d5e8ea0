-- Row triggers in PL/pgSQL fire while staging as they do directly, and once more in production at approval: tables are equal then.
CREATE TABLE rates (region text PRIMARY KEY, rate numeric NOT NULL);
INSERT INTO rates VALUES ('eu', 1.2), ('us', 1.5);
CREATE TABLE goods (
  id int PRIMARY KEY, name text NOT NULL, slug text NOT NULL UNIQUE, price numeric(10, 2) CHECK (price < 1000), region text DEFAULT 'eu',
  version int NOT NULL DEFAULT 1, status text NOT NULL DEFAULT 'new', touched int NOT NULL DEFAULT 0, note varchar(8)
);
INSERT INTO goods VALUES (1, 'One', 'one', 10), (2, 'Two', 'two', 20), (3, 'Three', 'three', 30);
CREATE FUNCTION slugged(p_name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT lower(replace(p_name, ' ', '-'))$$;
CREATE FUNCTION fill_slug() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.slug := slugged(NEW.name);
  RETURN NEW;
END $$;
CREATE TRIGGER a_slug BEFORE INSERT OR UPDATE ON goods FOR EACH ROW EXECUTE FUNCTION fill_slug();
CREATE FUNCTION set_price() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  factor numeric;
BEGIN
  SELECT r.rate INTO factor FROM rates r WHERE r.region = NEW.region;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no rate for %', NEW.region USING ERRCODE = 'P0404', HINT = 'Add one.', DETAIL = TG_NAME || ' of ' || TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME;
  END IF;
  NEW.price = NEW.price * factor;
  RETURN NEW;
END$$;
CREATE TRIGGER b_price BEFORE INSERT ON goods FOR EACH ROW WHEN (NEW.price IS NOT NULL) EXECUTE FUNCTION set_price();
CREATE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END;
$$;
CREATE TRIGGER c_version BEFORE UPDATE ON goods FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION count_version();
CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
<<"outer">>
DECLARE
  allowed text[] := '{}';
BEGIN
  FOR i IN 0 .. TG_NARGS - 1 LOOP
    allowed := allowed || TG_ARGV[i];
  END LOOP;
  IF TG_OP = 'DELETE' THEN
    IF OLD.status = ANY (allowed) THEN RETURN NULL; END IF;
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.status = ANY (allowed) AND NEW.status <> OLD.status THEN
    RAISE check_violation USING MESSAGE = format('"%s" stays %s (%s %s %s)', NEW.name, OLD.status, TG_WHEN, TG_LEVEL, TG_OP);
  END IF;
  IF NEW.name = 'nothing' THEN RETURN NULL; END IF;
  RETURN NEW;
END "outer" $$;
CREATE TRIGGER d_guard BEFORE INSERT OR UPDATE OR DELETE ON goods FOR EACH ROW EXECUTE FUNCTION guard('closed', 'it''s');
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.touched := (SELECT count(*) FROM goods g WHERE g.status = NEW.status AND g.id <> NEW.id);
  RETURN NEW;
END $$;
CREATE TRIGGER "E touched" BEFORE INSERT OR UPDATE ON goods FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TABLE numbered (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, word text, twice text GENERATED ALWAYS AS (word || word) STORED, seen text);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.word := upper(NEW.word);
  NEW.seen := coalesce(NEW.id::text, 'none') || to_jsonb(NEW)::text;
  RETURN NEW;
END $$;
CREATE TRIGGER see BEFORE INSERT OR UPDATE ON numbered FOR EACH ROW EXECUTE FUNCTION see();
CREATE TABLE child (id int PRIMARY KEY, up int REFERENCES goods ON DELETE SET NULL ON UPDATE CASCADE, n int DEFAULT 0, note text);
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.n := coalesce(NEW.n, 0) + 1;
  NEW.note := concat(NEW.note, OLD.up, '>', NEW.up, ';');
  RETURN NEW;
END $$;
CREATE TRIGGER note_change BEFORE UPDATE ON child FOR EACH ROW WHEN (OLD.up IS DISTINCT FROM NEW.up) EXECUTE FUNCTION note_change();
CREATE SCHEMA "it's ""{{odd}}""";
CREATE TABLE "it's ""{{odd}}"""."a {{b}} \b" ("new" int PRIMARY KEY, "o'l""d" text, tg_op text DEFAULT 'tg');
CREATE FUNCTION "it's ""{{odd}}"""."f'n ""x"" {{shadow}}"() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE
  quoted text := $body$ it's {{shadow}} $body$;
BEGIN /* ends here; */
  NEW."o'l""d" := concat_ws('|', NEW."o'l""d", quoted, TG_NAME, TG_TABLE_NAME, TG_TABLE_SCHEMA, TG_RELNAME, TG_NARGS, TG_ARGV[0], TG_ARGV[1], TG_ARGV[2], E'\\x''');
  RETURN NEW;
END -- really
$f$;
CREATE TRIGGER "t'r ""{{x}}"" WHEN (false) EXECUTE FUNCTION f()" BEFORE INSERT OR UPDATE ON "it's ""{{odd}}"""."a {{b}} \b"
  FOR EACH ROW WHEN (NEW."o'l""d" IS DISTINCT FROM ') EXECUTE FUNCTION none()') EXECUTE FUNCTION "it's ""{{odd}}"""."f'n ""x"" {{shadow}}"('it''s', E'back\\slash "and" $body$', '');
CREATE TABLE owners (id int PRIMARY KEY);
INSERT INTO owners VALUES (1), (2), (3);
CREATE TABLE watched (
  id int PRIMARY KEY, a int, b text DEFAULT 'b', seen text DEFAULT '', up int REFERENCES owners ON DELETE SET NULL ON UPDATE CASCADE, "O'dd ""{{c}}" int,
  twice int GENERATED ALWAYS AS (a * 2) STORED
);
INSERT INTO watched (id, a, up) VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, NULL);
CREATE VIEW watched_view AS SELECT b AS a, id AS number, a AS b FROM watched;
CREATE TABLE watch_log (what text);
CREATE FUNCTION log_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO watch_log VALUES (concat_ws(' ', TG_NAME, NEW.id, NEW.a, NEW.b, NEW.up, NEW.seen));
  RETURN NULL;
END $$;
CREATE TRIGGER log_a AFTER UPDATE OF a, "O'dd ""{{c}}" ON watched FOR EACH ROW EXECUTE FUNCTION log_update();
CREATE TRIGGER log_b AFTER UPDATE OF b ON watched FOR EACH ROW EXECUTE FUNCTION log_update();
CREATE TRIGGER log_up AFTER INSERT OR UPDATE OF up ON watched FOR EACH ROW EXECUTE FUNCTION log_update();
CREATE TRIGGER log_twice AFTER UPDATE OF twice ON watched FOR EACH ROW EXECUTE FUNCTION log_update();
CREATE FUNCTION log_plain() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO watch_log VALUES (concat_ws(' ', TG_NAME, NEW)); RETURN NULL; END $$;
CREATE TABLE keyless (a int, b text);
INSERT INTO keyless VALUES (1, 'x'), (1, 'x'), (2, 'y');
CREATE TRIGGER keyless_a AFTER UPDATE OF a ON keyless FOR EACH ROW EXECUTE FUNCTION log_plain();
CREATE TABLE parted (id int PRIMARY KEY, a int, b text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_2 PARTITION OF parted DEFAULT;
INSERT INTO parted VALUES (1, 1, 'x'), (11, 1, 'y');
CREATE TRIGGER parted_a AFTER UPDATE OF a ON parted FOR EACH ROW EXECUTE FUNCTION log_plain();
CREATE FUNCTION see_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.seen := concat(NEW.seen, TG_NAME, ' ');
  RETURN NEW;
END $$;
CREATE TRIGGER see_a BEFORE UPDATE OF a ON watched FOR EACH ROW WHEN (NEW.a IS DISTINCT FROM 77) EXECUTE FUNCTION see_update();
CREATE TRIGGER see_up BEFORE INSERT OR UPDATE OF up, "O'dd ""{{c}}" ON watched FOR EACH ROW EXECUTE FUNCTION see_update();
CREATE TABLE accounts (id int PRIMARY KEY, name text UNIQUE DEFERRABLE, twice int GENERATED ALWAYS AS (id * 2) STORED, region text REFERENCES rates);
CREATE TABLE entries (
  id int PRIMARY KEY, account int REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE, amount int NOT NULL, up int REFERENCES entries ON DELETE CASCADE
);
INSERT INTO accounts VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
INSERT INTO entries VALUES (1, 1, 10, NULL), (2, 1, -10, 1), (3, 2, 5, NULL), (4, 2, -5, 3), (5, 3, 0, NULL), (6, 3, 0, 5), (7, 4, 0, NULL), (8, 4, 0, 7);
CREATE FUNCTION balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  total int;
BEGIN
  SELECT sum(amount) INTO total FROM entries WHERE account = coalesce(NEW.account, OLD.account);
  RAISE NOTICE '% % % %: % > % is %', TG_NAME, TG_WHEN, TG_OP, TG_LEVEL, OLD, NEW, total;
  IF total <> 0 THEN RAISE EXCEPTION 'account % is off by %', coalesce(NEW.account, OLD.account), total USING ERRCODE = 'P0042', TABLE = TG_TABLE_NAME; END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % of % sees % accounts: % > %', TG_NAME, TG_OP, TG_NARGS, (SELECT count(*) FROM accounts), OLD, NEW;
  IF NEW.name = 'refused' THEN RAISE EXCEPTION 'refused' USING HINT = TG_NAME; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER b_balance AFTER INSERT OR UPDATE OF amount, account OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION balance();
CREATE CONSTRAINT TRIGGER a_tell AFTER INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION tell('x');
CREATE TRIGGER b_moved AFTER UPDATE OF id ON accounts FOR EACH ROW WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION tell();

CREATE TABLE heard (id int PRIMARY KEY, v text);
CREATE FUNCTION tell_heard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE NOTICE '% %', TG_OP, coalesce(NEW.id, OLD.id); RETURN NULL; END $$;
CREATE TRIGGER heard AFTER INSERT OR UPDATE OR DELETE ON heard FOR EACH ROW EXECUTE FUNCTION tell_heard();

-- story: what a trigger fills in and computes lands once
INSERT INTO goods (id, name, price) VALUES (10, 'Ten Things', 12), (11, 'Eleven', NULL) RETURNING *;
INSERT INTO goods (id, name, slug, price, region) VALUES (12, 'Twelve', 'given', 1, 'us');
SELECT * FROM goods ORDER BY id;
UPDATE goods SET price = price + 1 WHERE id >= 10 RETURNING id, price, version;
UPDATE goods SET name = 'Dozen' WHERE id = 12 RETURNING *;
UPDATE goods SET note = 'x', price = 5 WHERE id = 1;
UPDATE goods SET note = note WHERE id = 2;
SELECT * FROM goods ORDER BY id;

-- story: a trigger refuses
INSERT INTO goods (id, name, price, region) VALUES (20, 'Twenty', 3, 'moon');
UPDATE goods SET status = 'closed' WHERE id = 1 RETURNING version, touched;
UPDATE goods SET status = 'open' WHERE id = 1;
INSERT INTO goods (id, name, price) VALUES (21, 'Dear', 900);
INSERT INTO goods (id, name, note) VALUES (22, 'Long', 'far too long a note');
INSERT INTO goods (id, name) VALUES (23, 'ONE');
INSERT INTO goods (id, name) VALUES (24, NULL);
SELECT * FROM goods ORDER BY id;

-- story: a trigger keeps rows
UPDATE goods SET status = 'closed' WHERE id = 2;
DELETE FROM goods;
SELECT id, status FROM goods ORDER BY id;
INSERT INTO goods (id, name) VALUES (30, 'nothing'), (31, 'something') RETURNING id;
INSERT INTO goods (id, name) VALUES (32, 'nothing');
UPDATE goods SET name = 'nothing' WHERE id = 31;
SELECT id, name FROM goods ORDER BY id;

-- story: rows that are in the way
INSERT INTO goods (id, name, price) VALUES (1, 'Uno', 7) ON CONFLICT (id) DO UPDATE SET price = excluded.price, name = goods.name || excluded.slug RETURNING *;
INSERT INTO goods (id, name, price) VALUES (40, 'Forty', 7) ON CONFLICT (id) DO UPDATE SET price = 1 RETURNING *;
INSERT INTO goods (id, name, price) VALUES (41, 'TWO', 7) ON CONFLICT (slug) DO NOTHING;
INSERT INTO goods (id, name, price) VALUES (41, 'TWO', 7) ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO goods (id, name) VALUES (42, 'nothing') ON CONFLICT DO NOTHING;
INSERT INTO goods (id, name, price) VALUES (43, 'three', 7), (44, 'Four', 8) ON CONFLICT (slug) DO UPDATE SET note = 'met' RETURNING id, slug, price;
SELECT * FROM goods ORDER BY id;

-- story: keys that are drawn, and columns that are generated
INSERT INTO numbered (word) VALUES ('a'), ('b') RETURNING *;
INSERT INTO numbered (id, word) OVERRIDING SYSTEM VALUE VALUES (100, 'c') RETURNING *;
INSERT INTO numbered (id, word) VALUES (101, 'd');
INSERT INTO numbered (word, twice) VALUES ('e', 'ee');
UPDATE numbered SET word = 'f' WHERE id = 100 RETURNING *;
SELECT word, twice FROM numbered ORDER BY word;

-- story: what foreign keys do fires triggers, too
INSERT INTO child VALUES (1, 1), (2, 2), (3, 3);
UPDATE child SET n = 7 WHERE id = 1;
UPDATE child SET up = up WHERE id = 2 RETURNING *;
DELETE FROM goods WHERE id = 1;
UPDATE goods SET id = 33 WHERE id = 3;
SELECT * FROM child ORDER BY id;

-- story: one row changed again and again
INSERT INTO goods (id, name, price) VALUES (50, 'Fifty', 100);
UPDATE goods SET price = price / 2 WHERE id = 50;
UPDATE goods SET price = price * 2, name = 'Fifty Fifty' WHERE id = 50;
DELETE FROM goods WHERE id = 50;
INSERT INTO goods (id, name, price) VALUES (50, 'Fifty', 100) RETURNING *;
BEGIN;
UPDATE goods SET price = 1 WHERE id = 50;
ROLLBACK;
UPDATE goods SET id = 51 WHERE id = 50 RETURNING *;

-- story: rows that come together
INSERT INTO goods (id, name, price) SELECT g, 'Many ' || g, g FROM generate_series(60, 70) g;
UPDATE goods SET price = price + 0.5 WHERE id > 60;
DELETE FROM goods WHERE id > 65;
SELECT * FROM goods ORDER BY id;
MERGE INTO goods USING (VALUES (60, 'Merged'), (80, 'New'), (81, 'nothing')) v(id, name) ON goods.id = v.id
  WHEN MATCHED THEN UPDATE SET name = v.name WHEN NOT MATCHED THEN INSERT (id, name, price) VALUES (v.id, v.name, 9);
SELECT * FROM goods ORDER BY id;
WITH new AS (INSERT INTO goods (id, name, price) VALUES (90, 'Ninety', 9) RETURNING id, price)
  UPDATE goods SET note = 'new' || (SELECT price FROM new) WHERE id = 2 RETURNING note, version;

-- story: functions and triggers that change under way
CREATE OR REPLACE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'first'; END$$; -- in production
UPDATE goods SET price = 2 WHERE id = 2 RETURNING version;
CREATE OR REPLACE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION '%', slugged('The Second'); END$$; -- in production
UPDATE goods SET price = 2 WHERE id = 2 RETURNING version;
CREATE OR REPLACE FUNCTION slugged(p_name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT lower(replace(p_name, ' ', '_'))$$; -- in production
UPDATE goods SET price = 2 WHERE id = 2 RETURNING version;
CREATE OR REPLACE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION '%', (SELECT rate FROM rates WHERE region = 'eu'); END$$; -- in production
UPDATE rates SET rate = 2 WHERE region = 'eu';
UPDATE goods SET price = 2 WHERE id = 2 RETURNING version;
ALTER TABLE goods DISABLE TRIGGER d_guard; -- in production
UPDATE goods SET price = 3 WHERE id = 3 RETURNING version;
CREATE OR REPLACE TRIGGER d_guard BEFORE DELETE ON goods FOR EACH ROW EXECUTE FUNCTION guard(); -- in production
UPDATE goods SET price = 4 WHERE id = 3 RETURNING version;
DELETE FROM goods WHERE id = 3;
DROP TRIGGER d_guard ON goods; -- in production
DELETE FROM goods WHERE id = 3;

-- story: names and texts that are hard to quote
INSERT INTO "it's ""{{odd}}"""."a {{b}} \b" VALUES (1, 'x'), (2, ') EXECUTE FUNCTION none()') RETURNING *;
UPDATE "it's ""{{odd}}"""."a {{b}} \b" SET "o'l""d" = 'y' WHERE "new" = 2 RETURNING *;
INSERT INTO "it's ""{{odd}}"""."a {{b}} \b" VALUES (2, 'x') ON CONFLICT ("new") DO UPDATE SET "o'l""d" = excluded."o'l""d" RETURNING *;
TABLE "it's ""{{odd}}"""."a {{b}} \b";

-- story: triggers that wait for updates of certain columns
UPDATE watched SET a = a WHERE id = 1 RETURNING *;
UPDATE watched SET b = 'x' WHERE id = 1 RETURNING *;
UPDATE watched SET b = 'y' WHERE id = 1 RETURNING *;
UPDATE watched SET seen = 'z' WHERE id < 3 RETURNING *;
UPDATE watched SET (b, a) = (SELECT 'both', 77);
UPDATE watched SET "O'dd ""{{c}}" = 1 WHERE id = 4 RETURNING *;
UPDATE watched SET a = DEFAULT, b = DEFAULT WHERE id = 4 RETURNING *;
INSERT INTO watched (id, a) VALUES (1, 6), (10, 6) ON CONFLICT (id) DO UPDATE SET b = excluded.b || excluded.seen RETURNING *;
INSERT INTO watched (id, a) VALUES (10, 7) ON CONFLICT (id) DO UPDATE SET a = excluded.a RETURNING *;
MERGE INTO watched w USING (VALUES (1, 'merged'), (2, 'other'), (11, 'new')) v(id, b) ON w.id = v.id
  WHEN MATCHED AND v.id = 1 THEN UPDATE SET b = v.b WHEN MATCHED THEN UPDATE SET up = 3 WHEN NOT MATCHED THEN INSERT (id, b) VALUES (v.id, v.b);
UPDATE watched_view SET a = 'by the view' WHERE number = 3 RETURNING *;
UPDATE watched_view SET b = 30 WHERE number = 3 RETURNING *;
INSERT INTO watched_view (number, b) VALUES (3, 3) ON CONFLICT (number) DO UPDATE SET a = 'met';
PREPARE change AS UPDATE watched SET b = $1 WHERE id = $2 RETURNING seen;
EXECUTE change('prepared', 2);
TABLE watched ORDER BY id;
UPDATE keyless SET b = 'z' WHERE a = 1;
UPDATE keyless SET b = 'zz', a = a WHERE a = 2;
UPDATE parted SET b = 'z';
UPDATE parted_2 SET a = 2, b = 'zz';
UPDATE owners SET id = 9 WHERE id = 3;
DELETE FROM owners WHERE id IN (1, 9);
TABLE watched ORDER BY id;

-- story: triggers that look at what has become of the rows
INSERT INTO entries VALUES (10, 1, 7, NULL);
INSERT INTO entries VALUES (10, 1, 7, NULL), (11, 1, -7, 10) RETURNING *;
UPDATE entries SET amount = amount + 1 WHERE account = 1;
UPDATE entries SET amount = -amount WHERE account = 1;
UPDATE entries SET up = NULL WHERE id = 2;
UPDATE entries SET account = 2 WHERE account = 1;
INSERT INTO entries VALUES (10, 2, 8, NULL), (11, 2, -8, NULL), (12, 2, 0, NULL) ON CONFLICT (id) DO UPDATE SET amount = excluded.amount;
INSERT INTO entries VALUES (10, 2, 8, NULL), (13, 2, -1, NULL) ON CONFLICT (id) DO UPDATE SET amount = excluded.amount;
INSERT INTO entries VALUES (10, 2, 8, NULL) ON CONFLICT DO NOTHING;
DELETE FROM entries WHERE id = 7;
DELETE FROM entries WHERE account = 2 RETURNING id;
TABLE entries ORDER BY id;

-- story: triggers after the actions of foreign keys
UPDATE accounts SET id = 30, name = 'moved' WHERE id = 3 RETURNING *;
UPDATE accounts SET id = 31 WHERE id = 30;
UPDATE accounts SET name = 'refused' WHERE id = 2;
DELETE FROM accounts WHERE id IN (1, 31);
UPDATE accounts SET name = name;
INSERT INTO accounts (id, name) VALUES (9, 'refused');
INSERT INTO accounts (id, name, region) VALUES (9, 'nine', 'nowhere');
INSERT INTO accounts (id, name) VALUES (9, 'b');
BEGIN;
INSERT INTO accounts (id, name) VALUES (9, 'nine');
SAVEPOINT s;
INSERT INTO accounts (id, name) VALUES (10, 'refused');
ROLLBACK TO s;
UPDATE accounts SET name = 'ten' WHERE id = 9;
COMMIT;
MERGE INTO accounts a USING (VALUES (9, 'merged')) v(id, name) ON a.id = v.id WHEN MATCHED THEN UPDATE SET name = v.name;
MERGE INTO accounts a USING (VALUES (9)) v(id) ON a.id = v.id WHEN MATCHED THEN DELETE;
MERGE INTO accounts a USING (VALUES (12, 'refused')) v(id, name) ON a.id = v.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (v.id, v.name);
WITH gone AS (DELETE FROM entries WHERE account = 2 RETURNING id) INSERT INTO accounts (id, name) SELECT 100 + id, 'n' || id FROM gone RETURNING *;
INSERT INTO accounts (id, name) SELECT g, 'many ' || g FROM generate_series(40, 42) g;
UPDATE accounts SET name = concat(name, '!') WHERE id >= 40;
TABLE accounts ORDER BY id;
TABLE entries ORDER BY id;

-- story: triggers after sets of rows
INSERT INTO heard SELECT g, 'v' FROM generate_series(1, 3) g;
UPDATE heard SET v = concat(v, '!') WHERE v = 'v';
DELETE FROM heard WHERE v = 'v!';
