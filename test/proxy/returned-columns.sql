-- Roles that may write to a table, and read some of its columns: INSERT returns only these.
DO $$ BEGIN CREATE ROLE returned_client; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE TABLE t (id int PRIMARY KEY, name text, secret text DEFAULT 'the default');
CREATE TABLE whole (id int PRIMARY KEY, name text, secret text DEFAULT 'the default');
CREATE TABLE written (id int PRIMARY KEY, name text);
CREATE VIEW through WITH (security_invoker) AS SELECT id, name AS label, secret AS hidden FROM t;
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.secret := 'the stamp'; RETURN NEW; END $$;
CREATE TRIGGER stamped BEFORE INSERT ON t FOR EACH ROW WHEN (NEW.name = 'stamp') EXECUTE FUNCTION stamp();
GRANT SELECT (id, name), INSERT (id, name) ON t TO returned_client;
GRANT SELECT (id, name), INSERT, UPDATE, DELETE ON whole TO returned_client;
GRANT INSERT ON written TO returned_client;
GRANT SELECT, INSERT ON through TO returned_client;
CREATE FUNCTION add_t(p_id int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text; BEGIN INSERT INTO whole (id, name) VALUES (p_id, 'of f') RETURNING secret INTO v; RETURN v; END $$;
CREATE FUNCTION add_whole(p_id int) RETURNS SETOF int LANGUAGE sql AS $$ INSERT INTO whole AS w (id, name) VALUES (p_id, 'of f') RETURNING w.id $$;

-- before each story
SET ROLE returned_client;

-- after each story
RESET ROLE;
SELECT * FROM t ORDER BY id;
SELECT * FROM whole ORDER BY id;
SELECT * FROM written ORDER BY id;

-- story: a table of which it may read nothing
INSERT INTO written VALUES (1, 'a') RETURNING 1 AS one;
INSERT INTO written VALUES (3, 'a');

-- story: functions
SELECT add_t(10);
SELECT add_whole(11);
DO $$ DECLARE secret text; BEGIN INSERT INTO whole (id) VALUES (12) RETURNING id INTO secret; END $$;
DO $$ DECLARE v text; BEGIN INSERT INTO whole (id) VALUES (13) RETURNING whole.secret INTO v; RAISE NOTICE '%', v; END $$;

-- story: statements, and views
INSERT INTO written VALUES (2, 'a') RETURNING id;
INSERT INTO t (id, name) VALUES (1, 'a') RETURNING id, name;
INSERT INTO t (id, name) VALUES (2, 'a') RETURNING *;
INSERT INTO t (id, name) VALUES (2, 'a') RETURNING secret;
INSERT INTO t (id, name) VALUES (2, 'a') RETURNING t;
INSERT INTO t AS x (id, name) VALUES (2, 'a') RETURNING to_jsonb(x) ->> 'secret';
INSERT INTO t AS x (id, name) VALUES (2, 'stamp') RETURNING x.id, upper(x.secret);
INSERT INTO t AS x (id, name) VALUES (2, 'stamp') RETURNING x.id, upper(x.name);
INSERT INTO t AS x (id, name) VALUES (3, 'stamp') RETURNING x.*;
INSERT INTO whole VALUES (1, 'a', 'own') RETURNING id;
INSERT INTO whole VALUES (2, 'a', 'own') RETURNING whole.secret;
WITH made AS (INSERT INTO whole VALUES (3, 'a', 'own') RETURNING *) SELECT id FROM made;
WITH made AS (INSERT INTO whole VALUES (4, 'a', 'own') RETURNING id, name) SELECT * FROM made;
INSERT INTO through (id, label) VALUES (20, 'v') RETURNING id, label;
INSERT INTO through (id, label) VALUES (21, 'v') RETURNING hidden;
