-- BEFORE ROW triggers that write to other rows of their own table in the way in which they fire: one default, lists in order, trees.
CREATE TABLE addresses (id int PRIMARY KEY, person int, is_default boolean NOT NULL DEFAULT false, changes int NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX ON addresses (person) WHERE is_default;
INSERT INTO addresses VALUES (1, 1, true), (2, 1, false), (3, 1, false), (4, 2, true), (5, 2, false), (6, 3, false);
CREATE FUNCTION one_default() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changes := NEW.changes + 1;
  IF NEW.is_default THEN
    UPDATE addresses SET is_default = false WHERE person = NEW.person AND is_default AND id <> NEW.id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER one_default BEFORE INSERT OR UPDATE ON addresses FOR EACH ROW EXECUTE FUNCTION one_default();
CREATE TABLE told (n int PRIMARY KEY, address int, was boolean, became boolean);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO told VALUES ((SELECT count(*) FROM told), NEW.id, OLD.is_default, NEW.is_default);
  RAISE NOTICE 'told % %, % in all', NEW.id, NEW.is_default, (SELECT count(*) FROM told);
  RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER UPDATE ON addresses FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TABLE nodes (id int PRIMARY KEY, parent int, depth int);
CREATE FUNCTION fell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE 'fell %', OLD.id;
  DELETE FROM nodes WHERE parent = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER fell BEFORE DELETE ON nodes FOR EACH ROW EXECUTE FUNCTION fell();
CREATE FUNCTION sink() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.depth := coalesce((SELECT depth + 1 FROM nodes WHERE id = NEW.parent), 0);
  UPDATE nodes SET depth = NEW.depth + 1 WHERE parent = NEW.id AND depth <> NEW.depth + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER sink BEFORE INSERT OR UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION sink();
INSERT INTO nodes VALUES (1, NULL), (2, 1), (3, 2), (4, 2), (5, 1), (6, NULL);
CREATE TABLE pages (id int PRIMARY KEY, version int NOT NULL, body text, current boolean NOT NULL DEFAULT true);
CREATE FUNCTION keep_page() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.body := upper(NEW.body);
    IF NEW.version > 0 AND NEW.current THEN INSERT INTO pages VALUES (NEW.id * 100, 0, 'first of ' || NEW.id, false); END IF;
    RETURN NEW;
  END IF;
  INSERT INTO pages VALUES (OLD.id * 10 + OLD.version, OLD.version, OLD.body, false);
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_page BEFORE INSERT OR UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION keep_page();
INSERT INTO pages VALUES (1, 0, 'one'), (2, 0, 'two');
CREATE TABLE steps (id int PRIMARY KEY, place int NOT NULL, name text);
INSERT INTO steps VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c');
CREATE FUNCTION make_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE steps SET place = place + 1 WHERE place = NEW.place AND id <> NEW.id;
  IF NEW.place > 9 THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER make_room BEFORE INSERT OR UPDATE OF place ON steps FOR EACH ROW EXECUTE FUNCTION make_room();
CREATE TABLE ranks (id int PRIMARY KEY, place int NOT NULL);
INSERT INTO ranks SELECT g, g FROM generate_series(1, 4) g;
CREATE FUNCTION move_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE 'move % at %', NEW.id, pg_trigger_depth();
  UPDATE ranks SET place = place + 1 WHERE place >= NEW.place AND id <> NEW.id;
  RETURN NEW;
END $$;
CREATE TRIGGER move_up BEFORE INSERT OR UPDATE OF place ON ranks FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION move_up();
CREATE TABLE flags (id int PRIMARY KEY, n int NOT NULL, depth int);
INSERT INTO flags VALUES (1, 1);
CREATE FUNCTION see_depth() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% at %', TG_OP, pg_catalog.pg_trigger_depth();
  NEW.depth := pg_trigger_depth();
  RETURN NEW;
END $$;
CREATE TRIGGER see_depth BEFORE INSERT OR UPDATE ON flags FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION see_depth();
CREATE TABLE lefts (id int PRIMARY KEY, n int);
CREATE TABLE rights (id int PRIMARY KEY, n int);
CREATE FUNCTION to_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN UPDATE rights SET n = n + 1 WHERE id = NEW.id + 1; RETURN NEW; END IF;
  IF NEW.n > 0 THEN INSERT INTO rights VALUES (NEW.id + 1, NEW.n - 1); END IF;
  NEW.n := NEW.n * 10;
  RETURN NEW;
END $$;
CREATE FUNCTION to_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN UPDATE lefts SET n = n + 100 WHERE id = NEW.id + 1; RETURN NEW; END IF;
  INSERT INTO lefts VALUES (NEW.id + 1, NEW.n);
  NEW.n := (SELECT count(*) FROM lefts);
  RETURN NEW;
END $$;
CREATE TRIGGER to_right BEFORE INSERT OR UPDATE ON lefts FOR EACH ROW EXECUTE FUNCTION to_right();
CREATE TRIGGER to_left BEFORE INSERT OR UPDATE ON rights FOR EACH ROW EXECUTE FUNCTION to_left();
CREATE TABLE forests (id int PRIMARY KEY);
INSERT INTO forests VALUES (1), (2);
CREATE TABLE trees (id int PRIMARY KEY, forest int REFERENCES forests ON DELETE CASCADE, beside int);
INSERT INTO trees VALUES (1, 1, NULL), (2, 1, 1), (3, 2, 2), (4, 2, 3), (5, 2, NULL);
CREATE FUNCTION fell_beside() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE 'fell % with %', OLD.id, (SELECT count(*) FROM trees);
  DELETE FROM trees WHERE beside = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER fell_beside BEFORE DELETE ON trees FOR EACH ROW EXECUTE FUNCTION fell_beside();
CREATE FUNCTION set_default(p_id int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  UPDATE addresses SET is_default = true WHERE id = p_id;
  UPDATE ranks SET place = 1 WHERE id = p_id;
  RETURN (SELECT count(*) FROM addresses WHERE is_default);
END $$;

-- after each story
SELECT * FROM ranks ORDER BY id;
SELECT * FROM flags ORDER BY id;
SELECT * FROM lefts ORDER BY id;
SELECT * FROM rights ORDER BY id;
SELECT * FROM forests ORDER BY id;
SELECT * FROM trees ORDER BY id;
SELECT * FROM addresses ORDER BY id;
SELECT * FROM told ORDER BY n;
SELECT * FROM nodes ORDER BY id;
SELECT * FROM pages ORDER BY id;
SELECT * FROM steps ORDER BY id;

-- story: one address is the default
UPDATE addresses SET is_default = true WHERE id = 2;
INSERT INTO addresses VALUES (7, 1, true);
INSERT INTO addresses VALUES (8, 2, true), (9, 2, true), (10, 3, true) RETURNING *;
UPDATE addresses SET is_default = true WHERE id = 3 RETURNING *;
UPDATE addresses SET is_default = true WHERE id = 3 RETURNING *;

-- story: a statement meets rows that its own triggers have changed
UPDATE addresses SET is_default = true WHERE person = 2;
UPDATE addresses SET is_default = true WHERE id IN (1, 2);
UPDATE addresses SET is_default = NOT is_default WHERE person = 1 AND id < 3;
UPDATE addresses SET person = 2 WHERE id = 1;
UPDATE addresses SET person = person % 3 + 1 WHERE id IN (4, 1);
DELETE FROM addresses WHERE id = 4;
UPDATE addresses SET is_default = true WHERE id = 6;

-- story: in a block, with savepoints
BEGIN;
UPDATE addresses SET is_default = true WHERE id = 5;
SAVEPOINT a;
UPDATE addresses SET is_default = true WHERE id = 4;
UPDATE addresses SET is_default = true WHERE person = 1;
ROLLBACK TO a;
UPDATE addresses SET is_default = true WHERE id = 4;
COMMIT;

-- story: upserts
INSERT INTO addresses VALUES (2, 1, true) ON CONFLICT (id) DO UPDATE SET is_default = excluded.is_default; -- refused: 0A000.*without ON CONFLICT
INSERT INTO addresses VALUES (11, 2, false) ON CONFLICT (id) DO UPDATE SET is_default = excluded.is_default;
INSERT INTO addresses VALUES (11, 3, false) ON CONFLICT (id) DO UPDATE SET person = excluded.person;
INSERT INTO ranks VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET place = 2; -- refused: 0A000
INSERT INTO flags VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET n = flags.n + excluded.n RETURNING *;
INSERT INTO flags VALUES (2, 6) ON CONFLICT (id) DO UPDATE SET n = flags.n + excluded.n RETURNING *;
MERGE INTO flags f USING (VALUES (1, 5), (3, 1)) v (id, n) ON v.id = f.id WHEN MATCHED THEN UPDATE SET n = v.n WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n);

-- story: trees
DELETE FROM nodes WHERE id = 2;
DELETE FROM nodes WHERE id IN (1, 6);

-- story: deletions meet rows that triggers have deleted
DELETE FROM nodes WHERE id IN (2, 3);
DELETE FROM nodes WHERE id IN (3, 2);
DELETE FROM nodes;

-- story: trees change
INSERT INTO nodes VALUES (7, 6), (8, 7), (9, 8);
UPDATE nodes SET parent = 6 WHERE id = 2;
UPDATE nodes SET parent = 8 WHERE id = 1;
UPDATE nodes SET depth = 9 WHERE id = 7;

-- story: a statement changes parents and children
UPDATE nodes SET parent = 6 WHERE id IN (2, 3);
UPDATE nodes SET parent = parent WHERE id > 2;

-- story: versions of a row beside it
UPDATE pages SET body = 'three' WHERE id = 1;
UPDATE pages SET body = 'four' WHERE id = 1;
UPDATE pages SET body = body || '!' WHERE current;
INSERT INTO pages VALUES (3, 1, 'new'), (4, 0, 'newer'), (5, 2, 'newest') RETURNING *;
DELETE FROM pages WHERE id = 10;

-- story: places move up, one after the other
INSERT INTO steps VALUES (4, 1, 'd');
INSERT INTO steps VALUES (5, 1, 'e'), (6, 3, 'f');
UPDATE steps SET place = 4 WHERE id = 4;
UPDATE steps SET name = upper(name);
UPDATE steps SET place = 2 WHERE id = 3;

-- story: rows that are suppressed
INSERT INTO steps VALUES (9, 9, 'i');
INSERT INTO steps VALUES (10, 9, 'j');
INSERT INTO steps VALUES (11, 8, 'k'), (12, 8, 'l');
UPDATE steps SET place = place + 9;

-- story: MERGE
MERGE INTO addresses a USING (VALUES (2, 1, true), (20, 3, true)) v (id, p, d) ON v.id = a.id WHEN MATCHED THEN UPDATE SET is_default = v.d; -- since 17
MERGE INTO addresses a USING (VALUES (2, 1, true), (20, 3, true), (21, 3, true)) v (id, p, d) ON v.id = a.id WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.p, v.d, 0); -- since 17
MERGE INTO addresses a USING (VALUES (21, 3, true), (20, 3, true)) v (id, p, d) ON v.id = a.id WHEN MATCHED THEN UPDATE SET is_default = true; -- since 17
MERGE INTO addresses a USING (VALUES (2, 1, true)) v (id, p, d) ON v.id = a.id WHEN MATCHED THEN UPDATE SET is_default = v.d; -- refused: 0A000.*before PostgreSQL 17 -- until 16
MERGE INTO addresses a USING (VALUES (2, 1, false)) v (id, p, d) ON v.id = a.id WHEN MATCHED THEN UPDATE SET is_default = v.d;

-- story: only the statement of the client moves others
INSERT INTO ranks VALUES (5, 2);
UPDATE ranks SET place = 1 WHERE id = 4;
UPDATE ranks SET place = place - 1 WHERE id > 2;
INSERT INTO ranks VALUES (6, 1), (7, 1);

-- story: triggers of two tables fire each other
INSERT INTO lefts VALUES (1, 2);
INSERT INTO lefts VALUES (11, 1), (21, 0), (31, 3);
INSERT INTO rights VALUES (41, 1);
UPDATE lefts SET n = 1 WHERE id = 1;
UPDATE lefts SET n = n + 1 WHERE id = 11;
UPDATE rights SET n = 7 WHERE id = 2;
DELETE FROM lefts WHERE id = 1;

-- story: rows that a foreign key deletes
DELETE FROM forests WHERE id = 1;
DELETE FROM forests;

-- story: rows that a foreign key deletes beside others
DELETE FROM trees WHERE id = 4;
DELETE FROM forests WHERE id = 2;

-- story: functions and WITH
SELECT set_default(2);
SELECT set_default(3), set_default(2);
WITH a AS (UPDATE addresses SET is_default = true WHERE id = 3 RETURNING *), s AS (INSERT INTO steps VALUES (7, 1, 'g') RETURNING *)
SELECT a.id, a.is_default, s.place FROM a, s;
DO $$ BEGIN FOR i IN 1 .. 3 LOOP PERFORM set_default(i); END LOOP; END $$;
