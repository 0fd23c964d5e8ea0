-- Functions and triggers with SECURITY DEFINER that write to tables with policies, which do not apply to the owner of the code and the
-- tables. `owner` and `clerk` stand for roles.
CREATE SCHEMA app AUTHORIZATION owner;
GRANT USAGE ON SCHEMA app TO PUBLIC;
SET ROLE owner;
CREATE FUNCTION app.uid() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('request.uid', true), '')::int $$;
CREATE TABLE app.users (id int PRIMARY KEY, email text NOT NULL);
CREATE TABLE app.profiles (user_id int PRIMARY KEY, name text NOT NULL, bio text DEFAULT 'none');
CREATE TABLE app.staff (org int, person int, PRIMARY KEY (org, person));
CREATE TABLE app.orgs (id int PRIMARY KEY, name text NOT NULL, members int NOT NULL DEFAULT 0);
CREATE TABLE app.members (org int REFERENCES app.orgs, person int, role text DEFAULT 'owner', PRIMARY KEY (org, person));
CREATE FUNCTION app.is_member(p_org int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = app AS $$
  SELECT EXISTS (SELECT FROM app.staff s WHERE s.org = p_org AND s.person = app.uid()) $$;
INSERT INTO app.users VALUES (1, 'ann@x');
INSERT INTO app.profiles VALUES (1, 'ann');
INSERT INTO app.staff VALUES (1, 1), (7, 2), (8, 2);
INSERT INTO app.orgs VALUES (1, 'first', 1);
INSERT INTO app.members VALUES (1, 1);
ALTER TABLE app.profiles ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.orgs ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.members ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON app.profiles USING (user_id = app.uid()) WITH CHECK (user_id = app.uid());
CREATE POLICY member ON app.orgs USING (app.is_member(id)) WITH CHECK (app.is_member(id));
CREATE POLICY member ON app.members USING (app.is_member(org)) WITH CHECK (app.is_member(org));
CREATE FUNCTION app.new_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  INSERT INTO app.profiles (user_id, name) VALUES (NEW.id, split_part(NEW.email, '@', 1));
  RETURN NEW;
END $$;
CREATE TRIGGER new_user AFTER INSERT ON app.users FOR EACH ROW EXECUTE FUNCTION app.new_user();
CREATE FUNCTION app.count_member() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = app AS $$
BEGIN
  UPDATE orgs SET members = members + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END WHERE id = CASE TG_OP WHEN 'INSERT' THEN NEW.org ELSE OLD.org END;
  RETURN NULL;
END $$;
CREATE TRIGGER count_member AFTER INSERT OR DELETE ON app.members FOR EACH ROW EXECUTE FUNCTION app.count_member();
CREATE FUNCTION app.create_org(p_id int, p_name text) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = app AS $$
DECLARE
  v_count int;
BEGIN
  INSERT INTO orgs (id, name) VALUES (p_id, p_name);
  INSERT INTO members (org, person) VALUES (p_id, app.uid());
  SELECT count(*) INTO v_count FROM members;
  RETURN v_count;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.users, app.profiles, app.orgs, app.members TO clerk;
RESET ROLE;

-- after each story
SELECT * FROM app.users ORDER BY id;
SELECT * FROM app.profiles ORDER BY user_id;
SELECT * FROM app.orgs ORDER BY id;
SELECT * FROM app.members ORDER BY org, person;

-- story: a trigger writes past the policies of its table
SET request.uid = '2';
INSERT INTO app.users VALUES (2, 'bob@x'), (3, 'cat@x');
TABLE app.profiles;
UPDATE app.profiles SET bio = 'mine' RETURNING *;
INSERT INTO app.profiles VALUES (4, 'no');
INSERT INTO app.users VALUES (2, 'bob@y');

-- story: a function does, and its rows fire such a trigger
SET request.uid = '2';
SELECT app.create_org(7, 'seventh');
TABLE app.members;
SELECT app.create_org(8, 'eighth');
INSERT INTO app.members VALUES (8, 5, 'guest');
INSERT INTO app.members VALUES (1, 5, 'guest');
DELETE FROM app.members WHERE person = 2 AND org = 7;
