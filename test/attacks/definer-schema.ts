/** Functions with SECURITY DEFINER that decide by a table what they show. */
import { testRole } from '../helpers/both-ways.ts';

export const [clerk, boss, owner, heir, chief, kin] = [
  testRole('clerk'),
  testRole('boss'),
  testRole('owner'),
  testRole('heir'),
  testRole('chief'),
  testRole('kin'),
];
export const roles = [clerk, boss, owner, heir, chief, kin];
const path = 'SECURITY DEFINER SET search_path = public, pg_temp';
const isAdmin = 'SELECT 1 FROM admins WHERE who = session_user';
const tell = `INSERT INTO asked (who) VALUES (session_user); RETURN (SELECT min(what) FROM secrets)`;
const block = (condition: string) =>
  `BEGIN IF NOT EXISTS (${condition}) THEN RAISE EXCEPTION 'not allowed' USING ERRCODE = '42501'; END IF; ${tell}; END`;
export const schema = `
GRANT CREATE ON SCHEMA public TO ${owner.name}, ${clerk.name};
SET ROLE ${owner.name};
CREATE TABLE admins (who text PRIMARY KEY, level int DEFAULT 1);
CREATE TABLE grades (id int PRIMARY KEY, who text REFERENCES admins ON DELETE CASCADE);
CREATE VIEW chiefs AS SELECT who FROM admins WHERE level > 0;
CREATE TABLE secrets (id int PRIMARY KEY, what text); INSERT INTO secrets VALUES (1, 'the secret');
CREATE TABLE asked (id serial PRIMARY KEY, who text);
CREATE TABLE watched (id int PRIMARY KEY, who text);
CREATE TABLE guarded (who text PRIMARY KEY);
GRANT SELECT ON admins, grades, guarded TO ${clerk.name};
GRANT SELECT, INSERT, UPDATE, DELETE ON admins, guarded TO ${boss.name};
GRANT UPDATE (level) ON admins TO ${heir.name}; GRANT SELECT ON admins, secrets TO ${heir.name};
GRANT INSERT ON asked TO ${heir.name}; GRANT USAGE ON SEQUENCE asked_id_seq TO ${heir.name};
CREATE FUNCTION by_table() RETURNS text LANGUAGE plpgsql ${path} AS $$ ${block(isAdmin)} $$;
CREATE FUNCTION by_view() RETURNS text LANGUAGE plpgsql ${path} AS $$ ${block('SELECT 1 FROM chiefs WHERE who = session_user')} $$;
CREATE FUNCTION is_admin() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT EXISTS (${isAdmin})';
CREATE FUNCTION by_function() RETURNS text LANGUAGE plpgsql ${path} AS $$ ${block('SELECT 1 WHERE is_admin()')} $$;
CREATE FUNCTION by_definer() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN by_table(); END $$;
CREATE FUNCTION in_sql() RETURNS text LANGUAGE sql ${path} AS $$
  INSERT INTO asked (who) SELECT session_user FROM admins WHERE who = session_user;
  SELECT what FROM secrets WHERE EXISTS (${isAdmin}) $$;
CREATE FUNCTION declared() RETURNS text LANGUAGE plpgsql ${path} AS $$
DECLARE v text := (SELECT what FROM secrets WHERE EXISTS (${isAdmin})); BEGIN RAISE NOTICE '%', v; INSERT INTO asked (who) VALUES (v); RETURN v; END $$;
CREATE FUNCTION by_update() RETURNS text LANGUAGE plpgsql ${path} AS $$
DECLARE v text; BEGIN UPDATE admins SET level = level + 1 WHERE who = session_user RETURNING (SELECT what FROM secrets) INTO v; RETURN v; END $$;
CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF EXISTS (${isAdmin}) THEN NEW.who := (SELECT what FROM secrets); END IF; RETURN NEW; END $$;
CREATE TRIGGER watch BEFORE INSERT ON watched FOR EACH ROW EXECUTE FUNCTION watch();
CREATE FUNCTION by_trigger() RETURNS text LANGUAGE plpgsql ${path} AS $$
DECLARE v text; BEGIN INSERT INTO watched VALUES (1, 'x') RETURNING who INTO v; RETURN v; END $$;
-- cannot be followed, because of its option
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ #variable_conflict error
BEGIN RAISE EXCEPTION 'no'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE FUNCTION by_guarded() RETURNS text LANGUAGE plpgsql ${path} AS $$ ${block('SELECT 1 FROM guarded WHERE who = session_user')} $$;
CREATE FUNCTION withheld() RETURNS text LANGUAGE plpgsql ${path} AS $$ BEGIN ${tell}; END $$;
REVOKE ALL ON FUNCTION withheld() FROM PUBLIC; GRANT EXECUTE ON FUNCTION withheld() TO ${boss.name};
CREATE FUNCTION moving(n int) RETURNS text LANGUAGE plpgsql ${path} AS $$ BEGIN INSERT INTO asked (who) VALUES (n || current_user); RETURN n || current_user; END $$;
CREATE FUNCTION by_path() RETURNS text LANGUAGE sql STABLE AS 'SELECT min(what) FROM secrets';
CREATE FUNCTION bound_with_text() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER RETURN (SELECT by_path() FROM secrets);
CREATE FUNCTION without_path() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN ${tell}; END $$;
CREATE FUNCTION count_admins() RETURNS bigint LANGUAGE sql STABLE ${path} AS 'SELECT count(*) FROM admins';
CREATE FUNCTION bound() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER RETURN (SELECT array_length(array_agg(what), 1) + 0 * count_admins()::int FROM secrets);
CREATE FUNCTION counts() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN concat((SELECT count(*) FROM admins), count_admins()); END $$;
CREATE TABLE hooked (id int PRIMARY KEY, n bigint); GRANT SELECT, INSERT ON hooked TO ${boss.name};
CREATE FUNCTION hook() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := count_admins(); RETURN NEW; END $$;
CREATE TRIGGER hook BEFORE INSERT ON hooked FOR EACH ROW EXECUTE FUNCTION hook();
CREATE TABLE tenants (id int PRIMARY KEY); ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY none ON tenants USING (false);
GRANT SELECT, INSERT ON tenants TO ${kin.name};
CREATE FUNCTION past_policies(n int) RETURNS int LANGUAGE sql ${path} AS 'INSERT INTO tenants VALUES (n) RETURNING id';
RESET ROLE;
GRANT ${owner.name} TO ${kin.name};
ALTER FUNCTION past_policies OWNER TO ${kin.name};
CREATE FUNCTION of_superuser() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN ${tell}; END $$;
CREATE FUNCTION with_path() RETURNS text LANGUAGE plpgsql ${path} AS $$ BEGIN ${tell}; END $$;
ALTER FUNCTION of_superuser() OWNER TO ${chief.name}; ALTER FUNCTION with_path() OWNER TO ${chief.name};
CREATE FUNCTION of_service() RETURNS text LANGUAGE plpgsql ${path} AS $$ BEGIN ${tell}; END $$;
`;
