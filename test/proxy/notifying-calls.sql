-- Triggers that call functions which notify, and triggers and functions with the statement NOTIFY: nobody is told while rows are staged.
CREATE SCHEMA app;
CREATE TABLE told (n int PRIMARY KEY, what text);
CREATE TABLE jobs (id int PRIMARY KEY, queue text, payload text);
CREATE FUNCTION app.notify_change(p_channel text, VARIADIC p_values text[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(p_channel, array_to_string(p_values, ','));
  RAISE NOTICE 'told % of %', p_channel, p_values;
END $$;
CREATE FUNCTION app.announce(p_channel text, p_payload text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_catalog.pg_notify(p_channel, p_payload);
  SELECT p_channel || (SELECT count(*) FROM jobs);
$$;
CREATE FUNCTION app.hint() RETURNS void LANGUAGE sql AS $$ NOTIFY hint $$;
CREATE FUNCTION app.record(p_what text) RETURNS int LANGUAGE plpgsql SET search_path = public AS $$
DECLARE v_n int;
BEGIN
  INSERT INTO told SELECT count(*) + 1, p_what FROM told RETURNING n INTO v_n;
  PERFORM app.notify_change('told', v_n::text);
  NOTIFY told, 'it''s told';
  IF NOT FOUND THEN RAISE NOTICE 'not found'; END IF;
  RETURN v_n;
END $$;
CREATE PROCEDURE app.tell(p_what text, INOUT p_n int DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
  p_n := app.record(p_what);
  BEGIN
    PERFORM pg_notify(p_what, '');
  EXCEPTION WHEN OTHERS THEN RAISE NOTICE '% %', SQLSTATE, SQLERRM;
  END;
END $$;
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM app.notify_change(NEW.queue, TG_OP, NEW.payload);
  PERFORM app.hint();
  NOTIFY "All Jobs";
  RAISE NOTICE 'found %', FOUND;
  IF NEW.payload = 'none' THEN PERFORM 1 FROM jobs WHERE false; END IF;
  NOTIFY jobs, 'changed';
  RAISE NOTICE 'found % %', FOUND, app.announce('jobs', NEW.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER a_tell AFTER INSERT OR UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION tell();
CREATE FUNCTION tell_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_n int;
BEGIN
  IF OLD.queue = 'quiet' THEN RETURN OLD; END IF;
  CALL app.tell(CASE OLD.payload WHEN 'empty' THEN '' WHEN 'long' THEN repeat('l', 64) ELSE OLD.queue END, v_n);
  RAISE NOTICE 'entry %', v_n;
  EXECUTE 'NOTIFY deleted';
  RETURN OLD;
END $$;
CREATE TRIGGER tell_deleted BEFORE DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION tell_deleted();
CREATE FUNCTION tell_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM app.notify_change('late', NEW.payload);
  NOTIFY late;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER tell_late AFTER INSERT ON jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tell_late();
CREATE TABLE notes (id int PRIMARY KEY, body text);
INSERT INTO notes VALUES (1, 'one'), (2, 'two');
CREATE FUNCTION a_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.body LIKE 'Tell%' THEN PERFORM app.notify_change('notes', NEW.body); END IF;
  IF NEW.body LIKE 'Note%' THEN NOTIFY notes; END IF;
  NEW.body := lower(NEW.body);
  RETURN NEW;
END $$;
CREATE TRIGGER a_note BEFORE INSERT OR UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION a_note();
CREATE FUNCTION b_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.body LIKE '%skip' THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER b_note BEFORE INSERT OR UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION b_note();
CREATE FUNCTION quietly(p_body text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM app.notify_change('notes', p_body);
  RETURN 'told';
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;
CREATE FUNCTION write_note(p_id int, p_body text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notes VALUES (p_id, p_body);
  IF p_body LIKE '%!' THEN RETURN quietly(p_body); END IF;
  IF p_body LIKE '%?' THEN NOTIFY notes; END IF;
  RETURN p_body;
END $$;
CREATE TABLE risks (id int PRIMARY KEY);
CREATE FUNCTION risk() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('risks', 'a');
EXCEPTION WHEN undefined_table THEN NULL;
END $$;
CREATE FUNCTION tell_risk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM risk(); RETURN NULL; END $$;
CREATE TRIGGER tell_risk AFTER INSERT ON risks FOR EACH ROW EXECUTE FUNCTION tell_risk();

-- after each story
SELECT * FROM jobs ORDER BY id;
SELECT * FROM told ORDER BY n;
SELECT * FROM notes ORDER BY id;

-- story: triggers call functions that notify
INSERT INTO jobs VALUES (1, 'mail', 'a'), (2, 'mail', NULL), (3, 'mail', 'none') RETURNING *;
UPDATE jobs SET payload = 'b' WHERE id = 1;
INSERT INTO jobs VALUES (1, 'mail', 'b') ON CONFLICT (id) DO UPDATE SET payload = 'c';
DELETE FROM jobs WHERE id < 3 RETURNING id;
BEGIN;
INSERT INTO jobs VALUES (4, 'quiet', 'd');
DELETE FROM jobs WHERE id = 4;
COMMIT;

-- story: errors of notifications
INSERT INTO jobs VALUES (5, '', 'a');
INSERT INTO jobs VALUES (5, 'mail', repeat('c', 8000));
INSERT INTO jobs VALUES (5, NULL, 'a');
INSERT INTO jobs VALUES (5, repeat('c', 63), 'a');
INSERT INTO jobs VALUES (6, 'mail', 'a');
UPDATE jobs SET queue = repeat('c', 64) WHERE id = 6;

-- story: an exception block handles the error of a notification
INSERT INTO jobs VALUES (7, 'mail', 'empty'), (8, 'mail', 'long'), (9, 'mail', 'a');
DELETE FROM jobs WHERE id BETWEEN 7 AND 9;

-- story: a row for which a trigger notifies is suppressed
INSERT INTO notes VALUES (3, 'Tell three'), (4, 'Note four');
INSERT INTO notes VALUES (5, 'skip');
INSERT INTO notes VALUES (5, 'Tell skip'); -- refused: M=cannot stage that triggers of "notes" notify for a row that they suppress
UPDATE notes SET body = 'Note skip' WHERE id = 1; -- refused: C=0A000
UPDATE notes SET body = 'Tell one' WHERE id = 1 RETURNING *;

-- story: a function of the client notifies
SELECT write_note(11, 'Tell eleven');
SELECT write_note(12, 'twelve!'); -- refused: C=0A000 M=function pg_notify\(\) cannot notify in a staged session
SELECT write_note(13, 'thirteen?'); -- refused: C=0A000
SELECT write_note(13, 'thirteen');
CALL app.tell('x'); -- refused: C=0A000 .* H=Approval does not call the function again
