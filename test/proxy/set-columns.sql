-- Updates in code of tables whose triggers wait for certain columns.
CREATE TABLE items (id int PRIMARY KEY, a int, b int, c int DEFAULT 0, seen text NOT NULL DEFAULT '');
INSERT INTO items SELECT g, g, g FROM generate_series(1, 4) g;
CREATE TABLE texts (id int PRIMARY KEY, t text, n int, words tsvector);
INSERT INTO texts (id, t, n) VALUES (1, 'one', 1), (2, 'two', 2);
CREATE TRIGGER words BEFORE INSERT OR UPDATE ON texts FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger(words, 'pg_catalog.simple', t);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % % %', TG_NAME, OLD.id, OLD.a, NEW.a;
  IF TG_WHEN = 'BEFORE' THEN NEW.seen := right(OLD.seen || TG_ARGV[0], 20); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER of_a BEFORE UPDATE OF a ON items FOR EACH ROW EXECUTE FUNCTION see('a');
CREATE TRIGGER of_b BEFORE UPDATE OF b ON items FOR EACH ROW EXECUTE FUNCTION see('b');
CREATE TRIGGER of_bc AFTER UPDATE OF b, c ON items FOR EACH ROW EXECUTE FUNCTION see('bc');
CREATE FUNCTION see_all() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', TG_NAME; RETURN NULL; END $$;
CREATE TRIGGER of_statement AFTER UPDATE OF a ON items FOR EACH STATEMENT EXECUTE FUNCTION see_all();
CREATE FUNCTION set_b(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  UPDATE items SET b = b + 1 WHERE id = p RETURNING b INTO v;
  IF NOT FOUND THEN RETURN -1; END IF;
  UPDATE items SET c = v WHERE id = p;
  RETURN v;
END $$;
CREATE FUNCTION set_both(p int) RETURNS bigint LANGUAGE sql AS $$
  UPDATE items SET (a, b) = (SELECT i.b, i.a FROM items i WHERE i.id = items.id) WHERE id = p;
  WITH u AS (UPDATE items SET c = c + 10 WHERE id = p + 1 RETURNING 1), w AS (UPDATE texts SET n = n WHERE id = p + 1 RETURNING 1) SELECT count(*) FROM u, w;
$$;
CREATE FUNCTION put(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text;
BEGIN
  INSERT INTO items AS i (id, a) VALUES (p, 7) ON CONFLICT (id) DO UPDATE SET a = i.a * 2 RETURNING seen INTO v;
  RETURN v;
END $$;
CREATE FUNCTION say(p int, p_text text) RETURNS tsvector LANGUAGE plpgsql AS $$
DECLARE v tsvector;
BEGIN
  UPDATE texts SET n = n + 1 WHERE id = p;
  UPDATE texts SET t = p_text WHERE id = p RETURNING words INTO v;
  RETURN v;
END $$;
CREATE FUNCTION each_row(p int) RETURNS SETOF items LANGUAGE plpgsql AS $$
DECLARE r items;
BEGIN
  RETURN QUERY UPDATE items SET b = b + 1 WHERE id = p RETURNING *;
  <<rows>> FOR r IN SELECT * FROM items i WHERE i.id = p LOOP
    <<inner>> FOR r IN UPDATE items SET c = r.c + 1 WHERE id = p - 1 RETURNING * LOOP
      IF r.id = 2 THEN UPDATE items SET a = 0 WHERE id = 4; END IF;
      RETURN NEXT r;
    END LOOP;
  END LOOP;
  RETURN QUERY INSERT INTO items AS i (id, a) VALUES (p, 3) ON CONFLICT (id) DO UPDATE SET a = i.a - 1 RETURNING *;
END $$;
CREATE TABLE heads (id int PRIMARY KEY, item int, n int);
INSERT INTO heads VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0);
CREATE FUNCTION push() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE items SET a = NEW.n WHERE id = NEW.item; UPDATE items SET c = NEW.n WHERE id = NEW.item; RETURN NULL; END $$;
CREATE TRIGGER push AFTER INSERT OR UPDATE OF n ON heads FOR EACH ROW EXECUTE FUNCTION push();
CREATE TABLE chain (id int PRIMARY KEY, next int, n int, m int, seen text NOT NULL DEFAULT '');
INSERT INTO chain SELECT g, g + 10, g, g FROM generate_series(1, 3) g;
INSERT INTO chain SELECT g + 10, NULL, g, g FROM generate_series(1, 3) g;
CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% of % at %', TG_NAME, NEW.id, pg_trigger_depth();
  IF NEW.next IS NOT NULL THEN UPDATE chain SET m = NEW.n WHERE id = NEW.next; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER a_follow AFTER UPDATE OF n ON chain FOR EACH ROW EXECUTE FUNCTION follow();
CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.seen := right(OLD.seen || TG_ARGV[0], 20); RETURN NEW; END $$;
CREATE TRIGGER mark_n BEFORE UPDATE OF n ON chain FOR EACH ROW EXECUTE FUNCTION mark('n');
CREATE TRIGGER mark_m BEFORE UPDATE OF m ON chain FOR EACH ROW EXECUTE FUNCTION mark('m');
CREATE FUNCTION last() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% of %', TG_NAME, NEW.id; RETURN NULL; END $$;
CREATE TRIGGER z_n AFTER UPDATE OF n ON chain FOR EACH ROW EXECUTE FUNCTION last();
CREATE TRIGGER z_m AFTER UPDATE OF m ON chain FOR EACH ROW EXECUTE FUNCTION last();
-- after each story
SELECT * FROM items ORDER BY id;
SELECT * FROM texts ORDER BY id;
SELECT * FROM chain ORDER BY id;
-- story: functions, procedures and blocks
SELECT set_b(1);
SELECT set_b(9);
SELECT set_both(1);
SELECT put(4), put(5), put(5);
BEGIN;
UPDATE items SET a = 100 WHERE id = 2;
SELECT set_b(2);
UPDATE items SET c = 1 WHERE id = 2;
SELECT set_b(2);
COMMIT;
SELECT * FROM each_row(3);
DO $$ BEGIN UPDATE items SET c = 5 WHERE id = 3; UPDATE items SET a = 5, c = 6 WHERE id = 3; END $$;
-- story: a search vector
BEGIN;
UPDATE texts SET n = 9 WHERE id = 1 RETURNING words;
SELECT say(1, 'changed by code');
SELECT say(2, 'and again');
UPDATE texts SET t = 'mine' WHERE id = 1 RETURNING words;
COMMIT;
-- story: triggers that update other tables
INSERT INTO heads VALUES (4, 4, 40);
UPDATE heads SET n = 5;
UPDATE heads SET item = 2 WHERE id = 1;
INSERT INTO heads VALUES (1, 3, 9) ON CONFLICT (id) DO UPDATE SET n = excluded.n + 1;
-- story: the statement around keeps its columns
UPDATE chain SET n = n + 100 WHERE id < 4;
UPDATE chain SET m = 0 WHERE id < 4;
UPDATE chain SET n = 1, m = 1 WHERE id IN (1, 11);
