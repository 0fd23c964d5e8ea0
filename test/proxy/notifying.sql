-- Triggers that notify: nobody is told while rows are staged. The rest of the trigger, and the triggers behind it, fire.
CREATE TABLE jobs (id int PRIMARY KEY, queue text, payload text, tries int NOT NULL DEFAULT 0);
CREATE TABLE counts (queue text PRIMARY KEY, n int NOT NULL);
INSERT INTO counts VALUES ('mail', 0), ('', 0);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('jobs:' || TG_OP, json_build_object('table', TG_TABLE_NAME, 'id', coalesce(NEW.id, OLD.id))::text);
  UPDATE counts SET n = n + 1 WHERE queue = coalesce(NEW.queue, OLD.queue);
  PERFORM pg_catalog.pg_notify(NEW.queue, NEW.payload) WHERE TG_OP <> 'DELETE';
  RAISE NOTICE 'told of %', coalesce(NEW.id, OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER a_tell AFTER INSERT OR UPDATE OR DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION tell();
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE total int := (SELECT sum(n) FROM counts);
BEGIN
  RAISE NOTICE '% after %', total, TG_OP;
  IF total > 50 THEN RAISE EXCEPTION 'too many'; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER b_later AFTER INSERT OR UPDATE OR DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION later();
CREATE FUNCTION tell_all() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told text;
BEGIN
  EXECUTE format('SELECT pg_notify(%L, %L)', 'all_' || TG_TABLE_NAME, 'changed');
  SELECT pg_notify('all', n::text)::text INTO told FROM counts WHERE queue = 'mail';
  RAISE NOTICE 'told all %', told = '';
  RETURN NULL;
END $$;
CREATE TRIGGER c_tell_all AFTER INSERT OR UPDATE ON jobs FOR EACH STATEMENT EXECUTE FUNCTION tell_all();
CREATE TABLE notes (id int PRIMARY KEY, body text, version int NOT NULL DEFAULT 0, deleted boolean NOT NULL DEFAULT false);
INSERT INTO notes VALUES (1, 'one'), (2, 'two'), (3, 'three');
CREATE FUNCTION a_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE notes SET deleted = true WHERE id = OLD.id;
    IF OLD.id = 3 THEN PERFORM pg_notify('notes', 'deleted'); END IF;
    RETURN OLD;
  END IF;
  NEW.version := NEW.version + 1;
  IF NEW.body <> '' THEN PERFORM pg_notify('notes', NEW.body); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_note BEFORE INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION a_note();
CREATE FUNCTION b_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN RETURN NULL; END IF;
  NEW.body := upper(NEW.body);
  IF NEW.body IN ('SKIP', '') THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER b_note BEFORE INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION b_note();
CREATE FUNCTION c_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('notes', to_json(NEW)::text);
  RAISE NOTICE 'now %', NEW;
  RETURN NULL;
END $$;
CREATE TRIGGER c_note AFTER UPDATE ON notes FOR EACH ROW WHEN (NEW.deleted) EXECUTE FUNCTION c_note();

-- after each story
SELECT * FROM notes ORDER BY id;
SELECT * FROM jobs ORDER BY id;
SELECT * FROM counts ORDER BY queue;

-- story: triggers that notify fire
INSERT INTO jobs VALUES (1, 'mail', 'a'), (2, 'mail', NULL) RETURNING *;
UPDATE jobs SET tries = tries + 1 WHERE id = 1 RETURNING tries;
INSERT INTO jobs VALUES (1, 'mail', 'b') ON CONFLICT (id) DO UPDATE SET tries = jobs.tries + 1 RETURNING tries;
DELETE FROM jobs WHERE id = 2;
SELECT n FROM counts WHERE queue = 'mail';

-- story: errors of pg_notify()
INSERT INTO jobs VALUES (3, '', 'a');
INSERT INTO jobs VALUES (3, NULL, 'a');
INSERT INTO jobs VALUES (3, repeat('c', 64), 'a');
INSERT INTO jobs VALUES (3, repeat('ä', 32), 'a');
INSERT INTO jobs VALUES (3, repeat('c', 63), 'a');
INSERT INTO jobs VALUES (4, 'mail', repeat('c', 8000));
INSERT INTO jobs VALUES (4, 'mail', repeat('c', 7998) || 'ä');
INSERT INTO jobs VALUES (4, 'mail', repeat('c', 7999));
INSERT INTO jobs VALUES (5, '', repeat('c', 8000));
INSERT INTO jobs VALUES (6, 'mail', 'c'), (7, '', 'd');
SELECT id FROM jobs ORDER BY id;

-- story: a trigger behind one that notifies refuses the row
UPDATE counts SET n = 50 WHERE queue = 'mail';
INSERT INTO jobs VALUES (8, 'mail', 'a');

-- story: BEFORE triggers that notify change the row
INSERT INTO notes (id, body) VALUES (4, 'four') RETURNING *;
UPDATE notes SET body = 'uno' WHERE id = 1 RETURNING *;
INSERT INTO notes (id, body) VALUES (1, 'eins'), (5, 'five') ON CONFLICT (id) DO UPDATE SET body = excluded.body RETURNING *;
INSERT INTO notes (id, body) VALUES (6, repeat('x', 8000));

-- story: a row for which a trigger notifies is suppressed
INSERT INTO notes (id, body) VALUES (7, '');
DELETE FROM notes WHERE id = 2 RETURNING *;
UPDATE notes SET body = 'skip' WHERE id = 1; -- refused: M=cannot stage that triggers of "notes" notify for a row that they suppress
INSERT INTO notes (id, body) VALUES (8, 'skip') ON CONFLICT DO NOTHING; -- refused: C=0A000
DELETE FROM notes WHERE id = 3; -- refused: C=0A000
INSERT INTO notes (id, body) VALUES (9, 'nine') RETURNING *;
