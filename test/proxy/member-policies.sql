-- Policies that read other tables, by sub-selects and by functions with SECURITY DEFINER: they count what the session has staged there.
-- `owner` and `clerk` stand for roles.
CREATE SCHEMA app AUTHORIZATION owner;
GRANT USAGE ON SCHEMA app TO PUBLIC;
SET ROLE owner;
CREATE FUNCTION app.uid() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('request.uid', true), '')::int $$;
CREATE TABLE app.orgs (id int PRIMARY KEY, name text NOT NULL, founder int DEFAULT app.uid());
CREATE TABLE app.members (org int REFERENCES app.orgs ON DELETE CASCADE, person int, role text DEFAULT 'owner', PRIMARY KEY (org, person));
CREATE TABLE app.projects (id int PRIMARY KEY, org int REFERENCES app.orgs ON DELETE CASCADE, name text UNIQUE, budget int DEFAULT 0);
CREATE TABLE app.tasks (id int PRIMARY KEY, project int REFERENCES app.projects ON DELETE CASCADE, title text, g int GENERATED ALWAYS AS (id * 2) STORED);
CREATE TABLE app.notes (id int PRIMARY KEY, task int, body text);
CREATE FUNCTION app.is_member(p_org int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT EXISTS (SELECT FROM app.members m WHERE m.org = p_org AND m.person = app.uid()) $$;
CREATE FUNCTION app.rank_in(p_org int) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = app AS $$
DECLARE v_role text;
BEGIN
  IF NOT app.is_member(p_org) THEN RETURN 'none'; END IF;
  SELECT m.role INTO v_role FROM members m WHERE m.org = p_org AND m.person = app.uid();
  RETURN v_role;
END $$;
CREATE FUNCTION app.my_orgs() RETURNS SETOF int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = app AS $$
  SELECT org FROM members WHERE person = app.uid() $$;
INSERT INTO app.orgs VALUES (1, 'first', 1), (2, 'second', 2);
INSERT INTO app.members VALUES (1, 1, 'owner'), (2, 2, 'owner'), (1, 3, 'guest');
INSERT INTO app.projects VALUES (1, 1, 'site'), (2, 2, 'secret');
INSERT INTO app.tasks VALUES (1, 1, 'logo'), (2, 2, 'hidden');
INSERT INTO app.notes VALUES (1, 1, 'blue'), (2, 2, 'red');
ALTER TABLE app.orgs ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY "see" ON app.orgs FOR SELECT USING (founder = app.uid() OR app.is_member(id));
CREATE POLICY "found" ON app.orgs FOR INSERT WITH CHECK (founder = app.uid());
CREATE POLICY "change" ON app.orgs FOR UPDATE USING (app.rank_in(id) = 'owner');
CREATE POLICY "see" ON app.members FOR SELECT USING (person = app.uid() OR app.is_member(org));
CREATE POLICY "join own" ON app.members FOR INSERT WITH CHECK (person = app.uid() AND EXISTS (SELECT FROM app.orgs o WHERE o.id = org AND o.founder = app.uid()));
CREATE POLICY "invite" ON app.members FOR INSERT WITH CHECK (app.rank_in(org) = 'owner' AND role <> 'owner');
CREATE POLICY "leave" ON app.members FOR DELETE USING (person = app.uid() OR app.rank_in(org) = 'owner');
CREATE POLICY "work" ON app.projects USING (org IN (SELECT m.org FROM app.members m WHERE m.person = app.uid()));
CREATE POLICY "guests pay nothing" ON app.projects AS RESTRICTIVE FOR UPDATE USING (true) WITH CHECK (budget = 0 OR app.rank_in(org) <> 'guest');
CREATE POLICY "work" ON app.tasks USING (EXISTS (SELECT FROM app.projects p WHERE p.id = project));
CREATE POLICY "work" ON app.notes USING (task IN (SELECT t.id FROM app.tasks t JOIN app.projects p ON p.id = t.project WHERE p.org IN (SELECT app.my_orgs())));
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA app TO clerk;
RESET ROLE;

-- after each story
SELECT * FROM app.orgs ORDER BY id;
SELECT * FROM app.members ORDER BY org, person;
SELECT * FROM app.projects ORDER BY id;
SELECT * FROM app.tasks ORDER BY id;
SELECT * FROM app.notes ORDER BY id;

-- story: a new organisation, and work in it
SET request.uid = '7';
INSERT INTO app.orgs VALUES (7, 'seventh') RETURNING *;
INSERT INTO app.projects VALUES (70, 7, 'too early');
INSERT INTO app.members (org, person) VALUES (7, 7) RETURNING *;
INSERT INTO app.members VALUES (7, 8, 'guest') RETURNING *;
INSERT INTO app.projects VALUES (71, 7, 'plan'), (72, 7, 'build') RETURNING *;
INSERT INTO app.tasks VALUES (71, 71, 'draw'), (72, 72, 'dig') RETURNING *;
INSERT INTO app.notes SELECT id, id, title FROM app.tasks WHERE id > 70 RETURNING *;
UPDATE app.projects SET budget = 5 WHERE org = 7 RETURNING *;
UPDATE app.orgs SET name = 'Seventh' WHERE id = 7 RETURNING *;
DELETE FROM app.tasks WHERE id = 72 RETURNING *;

-- story: rows of others stay out of reach
SET request.uid = '9';
INSERT INTO app.members (org, person) VALUES (2, 9);
INSERT INTO app.members (org, person, role) VALUES (2, 9, 'guest');
INSERT INTO app.projects VALUES (90, 2, 'spy');
INSERT INTO app.tasks VALUES (90, 2, 'spy');
INSERT INTO app.notes VALUES (90, 2, 'spy');
UPDATE app.projects SET name = 'taken' WHERE id = 2;
DELETE FROM app.tasks WHERE id = 2;
INSERT INTO app.orgs VALUES (9, 'ninth');
INSERT INTO app.members (org, person) VALUES (9, 9);
INSERT INTO app.projects VALUES (2, 9, 'taken key');
INSERT INTO app.projects VALUES (91, 2, 'spy');
INSERT INTO app.projects VALUES (91, 9, 'mine');
UPDATE app.projects SET org = 2 WHERE id = 91;
UPDATE app.members SET org = 2 WHERE org = 9;
INSERT INTO app.tasks VALUES (91, 91, 'mine') RETURNING g;

-- story: a guest of an organisation, and another role in it
SET request.uid = '3';
UPDATE app.projects SET name = 'Site' WHERE id = 1 RETURNING *;
UPDATE app.projects SET budget = 1 WHERE id = 1;
INSERT INTO app.members VALUES (1, 5, 'guest');
SET request.uid = '1';
INSERT INTO app.members VALUES (1, 5, 'guest');
SET request.uid = '5';
INSERT INTO app.projects VALUES (51, 1, 'new');
INSERT INTO app.tasks VALUES (51, 51, 'first');
UPDATE app.projects SET budget = 1 WHERE id = 51;
UPDATE app.projects SET name = 'newer' WHERE id = 51 RETURNING *;
SET request.uid = '1';
DELETE FROM app.members WHERE person = 5;
SET request.uid = '5';
INSERT INTO app.projects VALUES (52, 1, 'late');
INSERT INTO app.tasks VALUES (52, 51, 'late');
UPDATE app.projects SET name = 'latest' WHERE id = 51 RETURNING *;
SET request.uid = '1';

-- story: every way to write
SET request.uid = '7';
INSERT INTO app.orgs VALUES (10, 'tenth');
INSERT INTO app.members (org, person) VALUES (10, 7);
INSERT INTO app.projects VALUES (101, 10, 'one') ON CONFLICT (id) DO NOTHING RETURNING *;
INSERT INTO app.projects VALUES (101, 10, 'one') ON CONFLICT (id) DO UPDATE SET name = 'two' RETURNING *;
INSERT INTO app.projects VALUES (102, 10, 'site') ON CONFLICT (name) DO NOTHING RETURNING *;
INSERT INTO app.projects VALUES (2, 10, 'three') ON CONFLICT (id) DO UPDATE SET name = 'stolen' RETURNING *;
MERGE INTO app.projects p USING (VALUES (101, 'four'), (103, 'five'), (2, 'six')) v (id, name) ON p.id = v.id AND p.id <> 2 WHEN MATCHED THEN UPDATE SET name = v.name WHEN NOT MATCHED AND v.id > 100 THEN INSERT VALUES (v.id, 10, v.name);
WITH made AS (INSERT INTO app.projects VALUES (104, 10, 'seven') RETURNING id) SELECT * FROM made;
BEGIN;
SAVEPOINT a;
DELETE FROM app.members WHERE org = 10;
INSERT INTO app.projects VALUES (105, 10, 'eight');
ROLLBACK TO a;
INSERT INTO app.projects VALUES (105, 10, 'eight');
COMMIT;
UPDATE app.projects SET id = id + 1000 WHERE org = 10 AND id > 103 RETURNING *;
DELETE FROM app.orgs WHERE id = 10;

-- story: many rows at once
SET request.uid = '7';
INSERT INTO app.orgs VALUES (20, 'twentieth');
INSERT INTO app.members (org, person) VALUES (20, 7);
INSERT INTO app.projects SELECT g, 20, 'p' || g FROM generate_series(2000, 2100) g;
INSERT INTO app.tasks SELECT g, g, 't' || g FROM generate_series(2000, 2100) g;
UPDATE app.projects SET budget = id WHERE org = 20;
SELECT count(*), sum(budget) FROM app.projects;
DELETE FROM app.tasks WHERE id > 2010;
SELECT count(*), sum(g) FROM app.tasks;
INSERT INTO app.projects SELECT g, 20 - g % 2 * 18, 'q' || g FROM generate_series(2200, 2201) g;
