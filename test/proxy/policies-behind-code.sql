-- Functions and triggers that write, and read tables with policies and views that call functions of users.
DO $$ BEGIN CREATE ROLE behind_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE behind_client; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT CREATE ON SCHEMA public TO behind_owner;
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE members (team int REFERENCES teams, who int, PRIMARY KEY (team, who));
CREATE TABLE tasks (id int PRIMARY KEY, team int, team_name text, made_by int);
CREATE TABLE log (entry text PRIMARY KEY);
ALTER TABLE teams OWNER TO behind_owner;
ALTER TABLE members OWNER TO behind_owner;
SET ROLE behind_owner;
CREATE FUNCTION who() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('app.who', true), '')::int $$;
CREATE FUNCTION is_member(p_team int) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN RETURN EXISTS (SELECT FROM members m WHERE m.team = p_team AND m.who = who()); END $$;
CREATE VIEW me AS SELECT who() AS id;
ALTER TABLE teams ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_members ON teams TO behind_client USING (is_member(id) AND who() IS NOT NULL);
RESET ROLE;
GRANT SELECT ON teams, members, me TO behind_client;
GRANT SELECT, INSERT, UPDATE, DELETE ON tasks, log TO behind_client;
CREATE FUNCTION add_task(p_id int, p_team int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text; m int;
BEGIN
  SELECT t.name INTO n FROM teams t WHERE t.id = p_team;
  SELECT id INTO m FROM me;
  IF n IS NULL THEN RAISE EXCEPTION 'no such team'; END IF;
  INSERT INTO tasks (id, team, made_by) VALUES (p_id, p_team, m);
  RETURN n || ' by ' || m;
END $$;
CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN SELECT name INTO NEW.team_name FROM teams WHERE id = NEW.team; RETURN NEW; END $$;
CREATE TRIGGER filled BEFORE INSERT OR UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION fill();
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO log VALUES (concat_ws(' ', TG_OP, NEW.id, EXISTS (SELECT FROM teams t WHERE t.id = NEW.team), (SELECT id FROM me))); RETURN NULL; END $$;
CREATE TRIGGER noted AFTER INSERT OR UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION note();
INSERT INTO teams VALUES (1, 'one'), (2, 'two');
INSERT INTO members VALUES (1, 7), (2, 8);

-- before each story
SET app.who = '7';

-- story: as a client
BEGIN;
SET LOCAL ROLE behind_client;
SELECT add_task(1, 1);
SAVEPOINT a;
SELECT add_task(2, 2);
ROLLBACK TO a;
INSERT INTO tasks (id, team) VALUES (3, 1), (4, 1) RETURNING *;
UPDATE tasks SET made_by = 2 WHERE id = 3 RETURNING team_name;
SELECT * FROM log ORDER BY 1;
COMMIT;

-- story: with staged members
INSERT INTO members VALUES (2, 7);
UPDATE teams SET name = 'second' WHERE id = 2;
SELECT add_task(10, 2);
DO $$ BEGIN PERFORM add_task(11, 1); UPDATE tasks SET team = 2 WHERE id = 11; END $$;
SELECT * FROM tasks ORDER BY id;
SELECT * FROM log ORDER BY 1;
