-- Triggers that stamp rows with settings of the application: at approval they find those of the statement.
CREATE TABLE notes (id int PRIMARY KEY, tenant int NOT NULL, body text, created_by text, updated_by text);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.tenant := current_setting('app.tenant')::int;
    NEW.created_by := nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub';
  END IF;
  NEW.updated_by := coalesce(CURRENT_SETTING ( 'App.User' , true), 'nobody at all');
  RETURN NEW;
END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION stamp();
CREATE TABLE history (note int, nth int, op text, by text DEFAULT current_setting('audit.actor', true), PRIMARY KEY (note, nth));
CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO history (note, nth, op) SELECT coalesce(NEW.id, OLD.id), count(*) + 1, TG_OP FROM history h WHERE h.note = coalesce(NEW.id, OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER keep_history AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TABLE replies (note int REFERENCES notes ON DELETE CASCADE, n int, PRIMARY KEY (note, n));
CREATE TABLE removed (note int, n int, by text, PRIMARY KEY (note, n));
CREATE FUNCTION keep_reply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO removed VALUES (OLD.note, OLD.n, current_setting('app.user', true));
  RETURN OLD;
END $$;
CREATE TRIGGER keep_reply AFTER DELETE ON replies FOR EACH ROW EXECUTE FUNCTION keep_reply();
CREATE FUNCTION who() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_setting('app.who', true) $$;
CREATE FUNCTION changing() RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'same'::text $$;
CREATE TABLE changed (id int PRIMARY KEY, by text);
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.by := CASE WHEN NEW.id > 1 THEN changing() ELSE ''first'' END; RETURN NEW; END';
CREATE TRIGGER change BEFORE INSERT ON changed FOR EACH ROW EXECUTE FUNCTION change();
CREATE FUNCTION sealed() RETURNS text LANGUAGE sql STABLE RETURN concat(current_setting('App.Sealed'), current_setting('work_mem'), current_setting('stage.session', true));
CREATE FUNCTION made() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_setting('app' || '.made', true) || current_setting('plpgsql.extra_errors') $$;
CREATE TABLE signed (id int PRIMARY KEY, by text);
CREATE FUNCTION sign() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.by := coalesce(who(), ''NULL''); RETURN NEW; END';
CREATE TRIGGER sign BEFORE INSERT OR UPDATE ON signed FOR EACH ROW EXECUTE FUNCTION sign();
CREATE TABLE copied (id int PRIMARY KEY, by text CHECK (by = current_setting('app.copier', true)));
CREATE FUNCTION write_signed(p_id int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO signed (id) VALUES (p_id);
END $$;
INSERT INTO signed VALUES (1, 'old'), (2, 'old'), (3, 'old');

-- after each story
SELECT * FROM notes ORDER BY id;
SELECT * FROM history ORDER BY note, nth;
SELECT * FROM removed ORDER BY note, n;
SELECT * FROM signed ORDER BY id;
SELECT * FROM changed ORDER BY id;

-- story: each statement has its own
SET app.tenant = 1;
SET app.user = 'ann';
SET request.jwt.claims = '{"sub": "u-1", "role": "O''Neil \\ \"x\""}';
INSERT INTO notes (id, body) VALUES (1, 'a'), (2, 'b');
SET app.tenant = 2;
SET app.user = 'bob';
INSERT INTO notes (id, body) VALUES (3, 'c');
UPDATE notes SET body = body || '!' WHERE id = 1;
RESET app.user;
UPDATE notes SET body = body || '?' WHERE id = 2;

-- story: in blocks, with SET LOCAL and set_config, undone with them
BEGIN;
SET LOCAL app.tenant = 3;
SELECT set_config('audit.actor', 'carl', true), set_config('app.user', '', true);
INSERT INTO notes (id, body) VALUES (11, 'a');
SAVEPOINT s;
SET LOCAL app.tenant = 4;
INSERT INTO notes (id, body) VALUES (12, 'b');
ROLLBACK TO s;
INSERT INTO notes (id, body) VALUES (13, 'c');
COMMIT;
UPDATE notes SET body = 'd' WHERE id = 13;
DELETE FROM notes WHERE id = 11;

-- story: actions of foreign keys, and rows of other connections
SET app.tenant = 5;
SET app.user = 'dora';
INSERT INTO notes (id, body) VALUES (21, 'a'), (22, 'b');
INSERT INTO replies VALUES (21, 1), (21, 2), (22, 1);
SET app.user = 'emil'; -- by other
DELETE FROM notes WHERE id = 21; -- by other
DELETE FROM replies WHERE note = 22;

-- story: code that calls code, upserts, MERGE, sets and COPY
SET app.who = 'fred';
INSERT INTO signed (id) SELECT g FROM generate_series(101, 150) g;
SET app.who = 'gina';
INSERT INTO signed (id) VALUES (1), (102), (160) ON CONFLICT (id) DO UPDATE SET by = '';
SET app.who TO DEFAULT;
MERGE INTO signed s USING (VALUES (2), (170)) v (id) ON s.id = v.id WHEN MATCHED THEN UPDATE SET by = '' WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id);
SET app.who = 'hans';
SELECT write_signed(180);
UPDATE signed SET id = id + 1000 WHERE id BETWEEN 110 AND 120;

-- story: a constraint that reads one
SET app.copier = 'ida';
INSERT INTO copied VALUES (1, 'ida');
SET app.copier = 'jan';
INSERT INTO copied VALUES (2, 'jan');
INSERT INTO copied VALUES (3, 'ida');

-- story: none is set
INSERT INTO signed (id) VALUES (201);
INSERT INTO notes (id, body) VALUES (31, 'a');

-- story: functions of triggers that are replaced read others
SET app.first = 'kim';
SET app.second = 'lou';
INSERT INTO changed (id) VALUES (1);
CREATE OR REPLACE FUNCTION changing() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_setting('app.second', true) $$; -- in production
INSERT INTO changed (id) VALUES (2);
