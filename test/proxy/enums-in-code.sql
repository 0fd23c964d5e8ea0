-- Functions with enums as arguments and results: roles of members, states of orders.
DO $$ BEGIN CREATE ROLE enum_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE enum_client; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT CREATE ON SCHEMA public TO enum_owner;
CREATE TYPE member_role AS ENUM ('owner', 'admin', 'member');
CREATE TYPE state AS ENUM ('open', 'paid', 'sent');
CREATE FUNCTION who() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('app.who', true), '')::int $$;
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE members (team int REFERENCES teams, who int, role member_role NOT NULL DEFAULT 'member', PRIMARY KEY (team, who));
CREATE TABLE orders (id int PRIMARY KEY, team int REFERENCES teams, state state NOT NULL DEFAULT 'open', path state[] NOT NULL DEFAULT '{open}');
ALTER TABLE teams OWNER TO enum_owner;
ALTER TABLE members OWNER TO enum_owner;
ALTER TABLE orders OWNER TO enum_owner;
CREATE TABLE notes (id int PRIMARY KEY, team int, state state NOT NULL DEFAULT 'open');
ALTER TABLE notes OWNER TO enum_owner;
SET ROLE enum_owner;
CREATE FUNCTION has_role(p_team int, p_role member_role DEFAULT NULL) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT EXISTS (SELECT FROM members m WHERE m.team = p_team AND m.who = who() AND (m.role <= p_role OR p_role IS NULL))
$$;
CREATE FUNCTION role_in(p_team int) RETURNS member_role LANGUAGE sql STABLE AS $$
  SELECT m.role FROM members m WHERE m.team = p_team AND m.who = who()
$$;
CREATE FUNCTION found_team(p_id int, p_name text, p_role member_role DEFAULT 'owner') RETURNS member_role LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  given member_role;
BEGIN
  INSERT INTO teams VALUES (p_id, p_name);
  INSERT INTO members VALUES (p_id, who(), p_role) RETURNING role INTO given;
  RETURN given;
END $$;
CREATE FUNCTION advance(p_id int, p_to state) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  passed state[];
BEGIN
  IF p_to <= (SELECT state FROM orders WHERE id = p_id) THEN RAISE EXCEPTION 'order % is already %', p_id, p_to; END IF;
  UPDATE orders SET state = p_to, path = path || p_to WHERE id = p_id RETURNING path INTO passed;
  RETURN passed;
END $$;
CREATE FUNCTION advance_all(VARIADIC p_path state[]) RETURNS SETOF state LANGUAGE plpgsql AS $$
DECLARE s state;
BEGIN
  FOREACH s IN ARRAY p_path LOOP
    UPDATE orders SET state = s, path = path || s WHERE state < s;
    RETURN NEXT s;
  END LOOP;
END $$;
CREATE PROCEDURE reset_order(p_id int, p_state state DEFAULT 'open', INOUT p_old text DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
  SELECT state INTO p_old FROM orders WHERE id = p_id;
  UPDATE orders SET state = p_state WHERE id = p_id;
END $$;
CREATE FUNCTION path_of(p_id int) RETURNS state[] LANGUAGE sql STABLE AS 'SELECT path FROM orders WHERE id = p_id';
CREATE FUNCTION counts(OUT state state, OUT n bigint) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT o.state, count(*) FROM orders o GROUP BY 1 ORDER BY 1
$$;
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_members ON notes TO enum_client USING (has_role(team)) WITH CHECK (has_role(team, 'admin'));
RESET ROLE;
GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO enum_client;
GRANT SELECT ON teams, members TO enum_client;
INSERT INTO teams VALUES (1, 'one'), (2, 'two');
INSERT INTO members VALUES (1, 7, 'owner'), (2, 7, 'member'), (2, 8, 'admin');
INSERT INTO orders (id, team) VALUES (1, 1), (2, 2);
INSERT INTO notes (id, team) VALUES (1, 1), (2, 2);
INSERT INTO orders VALUES (3, 2, 'paid', '{open,paid}');

-- before each story
SET app.who = '7';

-- story: functions that read take and give enums
SELECT has_role(1), has_role(2, 'admin'), has_role(2, 'member'::member_role), has_role(9);
UPDATE members SET role = 'admin' WHERE team = 2 AND who = 7;
SELECT role_in(2)::text, role_in(1) < role_in(2);
SELECT state::text, n FROM counts();
SELECT has_role(2, 'boss');
SELECT role_in(2)::text || '!';

-- story: functions that write take and give enums
SELECT found_team(3, 'three')::text;
SELECT found_team(4, 'four', 'admin')::text;
SELECT found_team(p_role => 'member', p_id => 5, p_name => 'five')::text;
SELECT role_in(3)::text, role_in(4)::text, role_in(5)::text;
SELECT advance(1, 'paid'), advance(2, 'sent'), path_of(3)::text;
SELECT advance(1, 'open');
SELECT path_of(2)::text, path_of(2)[1] = 'open';
SELECT s::text FROM advance_all('paid', 'sent') s;
CALL reset_order(1);
CALL reset_order(2, 'paid', NULL);
SELECT state::text, n FROM counts();
SELECT id, team, state::text, path::text FROM orders ORDER BY id;
UPDATE members SET role = role_in(1) WHERE who = 8;
INSERT INTO orders (id, team, path) VALUES (9, 1, path_of(1) || 'sent');
PREPARE found (int, member_role) AS SELECT has_role($1, $2);
EXECUTE found (2, 'member');
UPDATE orders SET path = path || 'open' WHERE id = 9 RETURNING found_team(10, 'ten', 'member')::text;
DO $$ BEGIN PERFORM advance(9, 'sent'); END $$;
SELECT team, who, role::text FROM members ORDER BY team, who;

-- story: policies call functions that take enums
SELECT found_team(6, 'six')::text;
BEGIN;
SET LOCAL ROLE enum_client;
INSERT INTO notes (id, team) VALUES (20, 6) RETURNING id, state::text;
UPDATE notes SET state = 'paid' WHERE team = 6;
SELECT id, state::text FROM notes ORDER BY id;
SAVEPOINT a;
INSERT INTO notes (id, team) VALUES (21, 2);
ROLLBACK TO a;
DELETE FROM notes WHERE id = 1;
COMMIT;
SELECT id, state::text FROM notes ORDER BY id;

-- story: casts by functions of users
CREATE TABLE told (n int PRIMARY KEY); -- in production
CREATE FUNCTION role_of(n int) RETURNS member_role LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (n); RETURN 'admin'; END $$; -- in production
SELECT found_team(11, 'eleven', 'admin')::text;
CREATE CAST (int AS member_role) WITH FUNCTION role_of(int) AS IMPLICIT; -- in production
SELECT found_team(12, 'twelve', 2)::text; -- refused: C=25006
SELECT found_team(12, 'twelve', 'admin')::text; -- refused: C=25006
DROP CAST (int AS member_role); -- in production
DROP FUNCTION role_of(int); -- in production
SELECT found_team(12, 'twelve', 'admin')::text;
SELECT role_in(11)::text, role_in(12)::text;
