-- Functions with SECURITY DEFINER that only read: memberships behind row-level security, settings of the request, lists and reports.
CREATE SCHEMA app AUTHORIZATION owner; CREATE SCHEMA api AUTHORIZATION owner;
GRANT USAGE ON SCHEMA app, api TO clerk;
SET ROLE owner;
CREATE FUNCTION api.uid() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('request.uid', true), '')::int $$;
CREATE TABLE app.accounts (id int PRIMARY KEY, name text NOT NULL, kind text NOT NULL DEFAULT 'team');
CREATE TABLE app.members (account int REFERENCES app.accounts ON DELETE CASCADE, person int, role text NOT NULL, PRIMARY KEY (account, person));
CREATE TABLE app.entries (id int PRIMARY KEY, account int NOT NULL, amount numeric NOT NULL, note text);
CREATE TABLE app.secrets (id int PRIMARY KEY, what text NOT NULL);
CREATE TABLE app.kept (id int PRIMARY KEY, person int);
CREATE PROCEDURE app.fill() LANGUAGE sql AS $$
  TRUNCATE app.accounts, app.members, app.entries, app.secrets, app.kept;
  INSERT INTO app.accounts VALUES (1, 'one'), (2, 'two'), (3, 'three');
  INSERT INTO app.members VALUES (1, 7, 'owner'), (1, 8, 'member'), (2, 8, 'owner');
  INSERT INTO app.entries SELECT i, 1 + i % 3, i * 10, 'n' || i FROM generate_series(1, 9) i;
  INSERT INTO app.secrets VALUES (1, 'kept'), (2, 'hidden');
$$;
CALL app.fill();
ALTER TABLE app.kept ENABLE ROW LEVEL SECURITY; ALTER TABLE app.kept FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON app.kept USING (person = api.uid()) WITH CHECK (true);
ALTER TABLE app.members ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON app.members USING (person = api.uid()) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.accounts, app.members, app.entries, app.kept TO clerk;
CREATE FUNCTION api.role_in(p_account int) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS
  $$ SELECT m.role FROM app.members m WHERE m.account = p_account AND m.person = api.uid() $$;
CREATE FUNCTION api.spent(app.accounts) RETURNS numeric LANGUAGE sql STABLE SECURITY DEFINER SET search_path = app, pg_temp AS
  $$ SELECT sum(e.amount) FROM entries e WHERE e.account = $1.id $$;
CREATE FUNCTION api.has_role(p_account int, p_role text DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = app, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM members WHERE account = p_account AND person = api.uid() AND (p_role IS NULL OR role = p_role));
END $$;
CREATE FUNCTION api.accounts_with(p_role text) RETURNS SETOF int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = app, pg_temp AS
  $$ SELECT account FROM members WHERE person = api.uid() AND role = p_role ORDER BY account $$;
CREATE FUNCTION api.get_members(p_account int) RETURNS TABLE (person int, role text, name text) LANGUAGE plpgsql SECURITY DEFINER SET search_path = app, pg_temp AS $$
BEGIN
  IF NOT api.has_role(p_account) THEN RAISE EXCEPTION 'not found' USING ERRCODE = 'P0002'; END IF;
  RETURN QUERY SELECT m.person, m.role, a.name FROM members m JOIN accounts a ON a.id = m.account WHERE m.account = p_account ORDER BY 1;
END $$;
CREATE FUNCTION api.get_accounts() RETURNS json LANGUAGE sql SECURITY DEFINER SET search_path = app, pg_temp AS
  $$ SELECT coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'role', api.role_in(a.id)) ORDER BY a.id), '[]') FROM accounts a WHERE api.role_in(a.id) IS NOT NULL $$;
CREATE FUNCTION api.members_of(p_account int) RETURNS SETOF app.members LANGUAGE sql STABLE SECURITY DEFINER SET search_path = app, pg_temp AS
  'SELECT * FROM members WHERE account = $1 ORDER BY person';
CREATE FUNCTION api.who() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = app, pg_temp AS $$
BEGIN RETURN concat_ws(' ', current_user <> session_user, (SELECT count(*) FROM members), (SELECT string_agg(what, ',' ORDER BY id) FROM secrets)); END $$;
-- those with the rights of their callers, around and behind them
CREATE FUNCTION api.balance(p_account int) RETURNS numeric LANGUAGE sql STABLE AS
  $$ SELECT CASE WHEN api.has_role(p_account) THEN (SELECT sum(amount) FROM app.entries WHERE account = p_account) END $$;
CREATE FUNCTION api.statement(p_account int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text;
BEGIN
  SELECT string_agg(person || role, ',') INTO v FROM api.get_members(p_account);
  RETURN concat_ws(' ', api.role_in(p_account), api.balance(p_account), v);
EXCEPTION WHEN no_data_found THEN RETURN 'no account ' || p_account;
END $$;
CREATE FUNCTION api.only_asks(p_account int) RETURNS text LANGUAGE sql STABLE AS 'SELECT upper(api.role_in(p_account))';
CREATE FUNCTION api.count_entries() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM app.entries';
CREATE FUNCTION api.count_members() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = app, pg_temp AS 'SELECT count(account) FROM members';
CREATE FUNCTION api.count_kept() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = app, pg_temp AS 'SELECT count(*) FROM kept';
CREATE FUNCTION api.audit() RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = app, pg_temp AS
  $$ BEGIN RETURN concat_ws('/', (SELECT count(*) FROM members), (SELECT max(amount) FROM entries), api.count_members()); END $$;
CREATE FUNCTION api.names() RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = app, pg_temp AS
  $$ SELECT string_agg(name, ',' ORDER BY id) FROM accounts $$;
CREATE FUNCTION api.first_role(p_account int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = app, pg_temp AS
  $$ BEGIN RETURN (SELECT min(role) FROM members WHERE account = p_account) || current_user::text; END $$;
CREATE FUNCTION api.plain() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN RETURN (SELECT count(*) FROM app.members) || api.has_role(1)::text; END $$;
CREATE FUNCTION api.report() RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = app, pg_temp AS
  $$ BEGIN RETURN concat_ws('/', api.count_entries(), (SELECT count(*) FROM members)); END $$;
RESET ROLE;
-- owners to whom policies apply, and who may read some columns only
GRANT USAGE ON SCHEMA app, api TO auditor;
GRANT SELECT ON app.members, app.entries TO auditor; GRANT SELECT (id, name) ON app.accounts TO auditor;
ALTER FUNCTION api.audit() OWNER TO auditor; ALTER FUNCTION api.names() OWNER TO auditor;
-- story: rows of the session are seen
SELECT set_config('request.uid', '7', false);
SELECT api.role_in(1), api.role_in(2), api.has_role(1), api.has_role(1, 'member'), api.who();
INSERT INTO app.members VALUES (2, 7, 'member');
SELECT api.role_in(2), api.has_role(2), api.has_role(p_role => 'member', p_account => 2), api.who();
SELECT * FROM api.accounts_with('member');
SELECT * FROM api.get_members(2);
SELECT api.get_accounts();
UPDATE app.members SET role = 'admin' WHERE account = 2 AND person = 7;
SELECT api.role_in(2), api.has_role(2, 'admin'), ARRAY(SELECT api.accounts_with('admin'));
SELECT * FROM api.members_of(2);
SELECT (api.members_of(1)).role, (SELECT count(*) FROM app.members);
DELETE FROM app.members WHERE account = 1;
SELECT api.role_in(1), api.who();
SELECT * FROM api.get_members(1);
SELECT api.get_accounts();
-- story: in every place of a read
SELECT set_config('request.uid', '9', false);
INSERT INTO app.accounts VALUES (4, 'four', 'personal'), (5, 'five', 'team');
INSERT INTO app.members VALUES (4, 9, 'owner'), (5, 9, 'member'), (1, 9, 'member');
SELECT id, name FROM app.accounts WHERE api.has_role(id) ORDER BY id;
SELECT id FROM app.accounts a WHERE id IN (SELECT api.accounts_with('owner')) ORDER BY api.role_in(id);
SELECT a.id, r FROM app.accounts a, LATERAL api.role_in(a.id) r ORDER BY 1;
SELECT a.id, m.person FROM app.accounts a CROSS JOIN LATERAL api.members_of(a.id) m ORDER BY 1, 2;
WITH w AS (SELECT * FROM api.get_members(5)) SELECT role, count(*) FROM w GROUP BY role HAVING api.has_role(5);
SELECT api.role_in(id) AS r, count(*) FROM app.accounts GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN api.has_role(4, 'owner') THEN api.get_accounts()::text ELSE 'none' END;
PREPARE mine (int) AS SELECT api.role_in($1);
EXECUTE mine (4);
UPDATE app.members SET role = 'guest' WHERE account = 4;
EXECUTE mine (4);
DEALLOCATE mine;
BEGIN;
DECLARE c CURSOR FOR SELECT id, api.role_in(id) FROM app.accounts ORDER BY id;
FETCH 4 FROM c;
COMMIT;
-- story: nested both ways
SELECT set_config('request.uid', '7', false);
SELECT api.balance(1), api.balance(2), api.statement(1), api.statement(2), api.only_asks(1), api.report();
INSERT INTO app.entries VALUES (20, 2, 500, 'new'), (21, 1, 1, 'new');
INSERT INTO app.members VALUES (2, 7, 'auditor');
SELECT api.balance(1), api.balance(2), api.statement(1), api.statement(2), api.only_asks(2), api.report();
UPDATE app.members SET role = 'none' WHERE account = 1;
SELECT api.statement(1), api.only_asks(1);
DELETE FROM app.members WHERE account = 1;
SELECT api.statement(1), api.balance(1), api.report();
-- story: in statements that write
SELECT set_config('request.uid', '7', false);
INSERT INTO app.members VALUES (3, 7, 'owner');
UPDATE app.entries SET note = api.role_in(account) WHERE api.has_role(account) RETURNING id, note;
DELETE FROM app.entries WHERE account IN (SELECT api.accounts_with('owner')) AND id < 5 RETURNING id;
INSERT INTO app.entries SELECT 100 + a, a, api.balance(a), api.only_asks(a) FROM api.accounts_with('owner') a ORDER BY a RETURNING *;
UPDATE app.entries SET note = api.first_role(account) WHERE id = 9 RETURNING note;
UPDATE app.entries SET note = (SELECT string_agg(role, ',') FROM api.members_of(3)) WHERE id = 8;
SELECT id, note FROM app.entries ORDER BY id;
-- story: transactions and savepoints
SELECT set_config('request.uid', '8', false);
BEGIN;
INSERT INTO app.members VALUES (3, 8, 'member');
SELECT api.role_in(3);
SAVEPOINT a;
UPDATE app.members SET role = 'owner' WHERE account = 3;
SELECT api.role_in(3), api.has_role(3, 'owner');
ROLLBACK TO a;
SELECT api.role_in(3), api.has_role(3, 'owner');
ROLLBACK;
SELECT api.role_in(3), api.get_accounts();
BEGIN READ ONLY;
SELECT api.role_in(2), api.get_accounts(), api.report();
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT api.report();
INSERT INTO app.members VALUES (3, 8, 'late');
SELECT api.report(), api.role_in(3);
COMMIT;
-- story: calls without the right, and wrong ones
SELECT what FROM app.secrets;
SELECT api.role_in('x');
SELECT api.has_role(NULL), api.role_in(NULL);
INSERT INTO app.members VALUES (3, 1, 'member');
SELECT count(*) FROM app.members;
SELECT api.who();
-- story: owners whom policies concern
SELECT set_config('request.uid', '7', false);
SELECT api.audit(), api.count_members(), api.count_kept(), api.plain();
INSERT INTO app.members VALUES (2, 7, 'member'), (3, 8, 'member');
INSERT INTO app.kept VALUES (1, 7), (2, 8), (3, 7);
INSERT INTO app.entries VALUES (30, 1, 999, 'high');
SELECT api.audit(), api.count_members(), api.count_kept(), api.plain();
UPDATE app.kept SET person = 9 WHERE id = 3;
DELETE FROM app.members WHERE account = 1;
SELECT api.audit(), api.count_members(), api.count_kept(), api.plain();
SELECT api.names();
-- story: temporary tables
SELECT set_config('request.uid', '7', false);
INSERT INTO app.members VALUES (2, 7, 'member');
CREATE TEMPORARY TABLE drafts (id int);
SELECT api.role_in(2), api.get_accounts();
DROP TABLE drafts;
-- story: rows of tables
INSERT INTO app.entries VALUES (40, 2, 1000, 'high');
UPDATE app.accounts SET name = 'TWO' WHERE id = 2;
SELECT name, api.spent(a) FROM app.accounts a ORDER BY id;
SELECT name FROM app.accounts a WHERE api.spent(a.*) > 500;
