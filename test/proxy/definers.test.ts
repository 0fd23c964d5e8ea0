/** Functions with SECURITY DEFINER that write: they are staged with the rights of their owners, and of nobody else. */
import type pg from 'pg';
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, testRole } from '../helpers/both-ways.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { b, e, p, q, run, s } from '../helpers/wire-script.ts';

const [clerk, owner, other] = [testRole('clerk'), testRole('owner'), testRole('other')];
const service = testRole('service');
const roles = [clerk, owner, other];
const definer = 'SECURITY DEFINER SET search_path = shop, pg_temp';
const schema = `
CREATE SCHEMA shop AUTHORIZATION ${owner.name}; CREATE SCHEMA api AUTHORIZATION ${owner.name};
GRANT USAGE ON SCHEMA api TO PUBLIC;
CREATE TABLE api.prices (id int PRIMARY KEY, net int); INSERT INTO api.prices VALUES (1, 1);
GRANT SELECT ON api.prices TO ${owner.name};
CREATE TABLE notes (id int PRIMARY KEY, who text); GRANT SELECT, INSERT ON notes TO ${owner.name};
SET ROLE ${owner.name};
CREATE TABLE shop.accounts (id int PRIMARY KEY, tenant text NOT NULL, balance int NOT NULL CHECK (balance >= 0));
INSERT INTO shop.accounts VALUES (1, 'a', 100), (2, 'b', 100), (3, 'a', 100);
ALTER TABLE shop.accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenants ON shop.accounts USING (tenant = current_setting('request.tenant', true));
CREATE TABLE shop.entries (id serial PRIMARY KEY, account int NOT NULL, amount int NOT NULL, by text DEFAULT current_user, login text DEFAULT session_user);
CREATE TABLE shop.forced (id int PRIMARY KEY); ALTER TABLE shop.forced ENABLE ROW LEVEL SECURITY; ALTER TABLE shop.forced FORCE ROW LEVEL SECURITY;
CREATE TABLE shop.admins (who text PRIMARY KEY);
GRANT SELECT ON shop.admins TO ${clerk.name};
CREATE FUNCTION api.book(a int, n int) RETURNS text LANGUAGE sql AS
  'INSERT INTO shop.entries (account, amount) VALUES (a, n) RETURNING by';
CREATE FUNCTION api.is_admin() RETURNS boolean LANGUAGE sql STABLE ${definer} AS
  'SELECT EXISTS (SELECT FROM admins WHERE who = session_user)';
CREATE FUNCTION api.transfer(p_from int, p_to int, p_amount int) RETURNS text LANGUAGE plpgsql ${definer} AS $$
DECLARE v_left int; v_who text := current_user;
BEGIN
  IF FOUND THEN RAISE EXCEPTION 'FOUND is set'; END IF;
  UPDATE accounts SET balance = balance - p_amount WHERE id = transfer.p_from RETURNING balance INTO v_left;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account %', p_from USING ERRCODE = 'P0002'; END IF;
  UPDATE shop.accounts SET balance = balance + p_amount WHERE id = p_to;
  INSERT INTO entries (account, amount) VALUES (p_from, -p_amount), (p_to, p_amount);
  RETURN concat_ws(' ', v_left, v_who, session_user, api.book(p_to, 0), api.is_admin());
END $$;
CREATE FUNCTION api.total() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = '' AS
  'INSERT INTO shop.entries (account, amount) VALUES (9, 9); SELECT sum(balance) FROM shop.accounts';
CREATE FUNCTION api.rows(n int) RETURNS SETOF shop.accounts LANGUAGE plpgsql ${definer} AS $$
BEGIN
  RETURN QUERY UPDATE accounts SET balance = balance + n WHERE id < 3 RETURNING *;
  RETURN QUERY SELECT * FROM accounts WHERE id = 3;
END $$;
CREATE PROCEDURE api.deposit(a int, INOUT n int) LANGUAGE plpgsql ${definer} AS $$
BEGIN
  UPDATE accounts SET balance = balance + n WHERE id = a RETURNING balance INTO n;
  BEGIN
    INSERT INTO entries (id, account, amount) VALUES (1, a, n);
  EXCEPTION WHEN unique_violation THEN RAISE NOTICE 'again %', current_user;
  END;
  INSERT INTO admins VALUES (session_user) ON CONFLICT DO NOTHING;
END $$;
CREATE FUNCTION api.may_not() RETURNS void LANGUAGE plpgsql ${definer} AS $$ BEGIN PERFORM api.withheld(); END $$;
CREATE FUNCTION api.read_only(n int) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'UPDATE api.prices SET net = net + n RETURNING net';
CREATE FUNCTION api.own(n int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO notes VALUES (n, current_user);
  RETURN (SELECT count(*) FROM notes);
END $$;
RESET ROLE;
CREATE FUNCTION api.withheld() RETURNS int LANGUAGE sql AS 'INSERT INTO notes VALUES (99, current_user) RETURNING id';
REVOKE ALL ON FUNCTION api.withheld() FROM PUBLIC;
CREATE FUNCTION api.outer(n int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN concat(current_user, api.own(n), current_user); END $$;
ALTER FUNCTION api.outer(int) OWNER TO ${other.name};
`;

/** Errors of tables with policies show no values, see docs/limits.md. */
const arrange = (answers: readonly string[]) =>
  answers.map((answer) => answer.replace(/ D=Failing row contains \([^)]*\)\./, ''));

suite('functions with SECURITY DEFINER that write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(roles.map((role) => createRole(role)).join(''));
    for (const database of [proxied.database, proxied.twin]) await database.query(schema);
  });
  test.after(async () => {
    await dropRoles(proxied, roles);
    await proxied.stop();
  });
  const alike = (name: string, texts: readonly string[]) => {
    const both = { simple: q, extended: (text: string) => Buffer.concat([run(text), s]) };
    for (const [way, send] of Object.entries(both))
      test(
        `${name}: ${way}`,
        async () => {
          await assertAlike(proxied, texts.map(send), { role: clerk, arrange });
          // the tables are in a schema that the role may not use
          const tables = ['shop.accounts', 'shop.entries', 'shop.admins', 'notes'];
          await assertAlike(
            proxied,
            tables.map((table) => send(`SELECT * FROM ${table} ORDER BY 1`)),
          );
        },
        { timeout: 120_000 },
      );
  };

  alike('rights and roles', [
    'SELECT api.transfer(1, 2, 10)',
    'SELECT * FROM api.transfer(2, 1, 5) t',
    'SELECT api.transfer(9, 1, 1)',
    'SELECT api.transfer(1, 2, 1000)',
    'SELECT current_user',
  ]);
  alike('forms', [
    'SELECT api.total()',
    'SELECT * FROM api.rows(3)',
    'SELECT (api.rows(1)).balance',
    'CALL api.deposit(1, 7)',
    'CALL api.deposit(2, 1)',
    'SELECT api.transfer(1, 3, 1)',
  ]);
  alike('rights of the owner', [
    'SELECT api.may_not()',
    'SELECT api.read_only(3)',
    'SELECT api.own(1)',
    'SELECT api.outer(2)',
    'SELECT api.own(1)',
    'BEGIN',
    'SELECT api.own(3)',
    'SAVEPOINT a',
    'SELECT api.own(4)',
    'ROLLBACK TO a',
    'SELECT api.own(5)',
    'COMMIT',
  ]);
  alike('blocks and writes that call them', [
    "DO $$ BEGIN PERFORM api.own(21); RAISE NOTICE '%', current_user; END $$",
    'CALL api.deposit(1, 1)',
  ]);

  test('with a service account that may act as the owner, or not', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    await database.query(`${createRole(service)} GRANT CREATE, TEMPORARY ON DATABASE ${database.name} TO ${service.name};
      CREATE TABLE kept (id int PRIMARY KEY, who text); ALTER TABLE kept OWNER TO ${owner.name};
      GRANT ALL ON kept TO ${service.name};
      CREATE FUNCTION keep(n int) RETURNS text LANGUAGE sql ${definer} AS 'INSERT INTO public.kept VALUES (n, current_user) RETURNING who';
      ALTER FUNCTION keep OWNER TO ${owner.name}`);
    const upstream = database.urlFor(service.name, service.password);
    const daemon = await startTestDaemon({ database, flags: { upstream } });
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(session, clerk.name, clerk.password));
    const failed = await rejects<pg.DatabaseError>(client.query('SELECT keep(1)'));
    assert.is(failed.code, '25006');
    assert.match(
      failed.hint ?? '',
      /Function keep\(\) .* the service account may not act as stage_test_owner/,
    );
    assert.match(
      (await rejects(client.query('DO $$ BEGIN PERFORM keep(1); END $$'))).message,
      /calls keep\(\), which runs with its owner's rights, and the service account may not act as stage_test_owner/,
    );
    await database.query(`GRANT ${owner.name} TO ${service.name}`);
    assert.equal((await client.query('SELECT keep(1)')).rows, [{ keep: owner.name }]);
    assert.equal(await database.query('SELECT * FROM kept'), []);
    await client.end();
    await daemon.stop();
    await database.query(`DROP OWNED BY ${service.name}, ${owner.name} CASCADE`);
    await database.drop();
    await proxied.database.query(`DROP ROLE ${service.name}`);
  });

  test('prepared', async () => {
    const call = [b(['1', '2', '3'], 't'), e(), s];
    await assertAlike(
      proxied,
      [p('SELECT api.transfer($1, $2, $3)', 't', [23, 23, 23]), s, ...call, ...call],
      { role: clerk },
    );
  });
});
