/** Functions in staged reads show no more than the connecting role may see, and no more than production would show. */
import type pg from 'pg';
import { assertSameAs, createRole, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const reader = testRole('reader');
const schema = `
CREATE TABLE orders (id int PRIMARY KEY, amount int);
INSERT INTO orders VALUES (1, 10), (2, 20);
CREATE TABLE secret (id int PRIMARY KEY);
CREATE FUNCTION total() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT sum(amount) FROM orders';
CREATE FUNCTION secrets() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM secret';
CREATE FUNCTION both_of() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN total() + (SELECT count(*) FROM secret); END';
CREATE FUNCTION withheld() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM orders';
CREATE FUNCTION calls_withheld() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT withheld()';
REVOKE EXECUTE ON FUNCTION withheld() FROM PUBLIC;
CREATE TABLE member (who text PRIMARY KEY);
CREATE TABLE guarded (id int PRIMARY KEY);
INSERT INTO guarded VALUES (1);
CREATE FUNCTION is_member() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT FROM member WHERE who = current_user)';
CREATE FUNCTION guarded_count() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM guarded';
CREATE FUNCTION keeper() RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN IF EXISTS (SELECT FROM member WHERE who = session_user) THEN RETURN 1; END IF; RETURN 0; END $$;
CREATE FUNCTION keeper_by_function() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT is_member()';
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON guarded USING (is_member());
CREATE VIEW opened AS SELECT id FROM secret WHERE is_member();
CREATE FUNCTION opened_count() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT count(*) FROM opened); END';
INSERT INTO secret VALUES (1);
CREATE TABLE witness (who text);
GRANT INSERT ON witness TO PUBLIC;
CREATE FUNCTION tells() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.witness VALUES (current_user); RETURN true; END';
CREATE DOMAIN telling AS int CHECK (tells());
CREATE FUNCTION in_body() RETURNS bigint LANGUAGE sql AS $$SELECT count(*) + cardinality('{1}'::telling[]) FROM orders$$;
CREATE FUNCTION in_default(x int DEFAULT cardinality('{1}'::telling[])) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) + x FROM orders';
TRUNCATE witness;
GRANT SELECT ON orders, member, guarded, opened TO ${reader.name};
`;

suite('functions in staged reads: rights', (test) => {
  let proxied: Proxied;
  let session: string;
  let client: pg.Client;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(createRole(reader));
    for (const database of [proxied.database, proxied.twin]) await database.query(schema);
    session = await proxied.daemon.newSession({ reads: 'staged' });
    client = await proxied.connect(proxied.daemon.clientUrl(session, reader.name, reader.password));
  });
  test.after(async () => {
    await client.end();
    for (const database of [proxied.database, proxied.twin])
      await database.query(`DROP OWNED BY ${reader.name}`);
    await proxied.database.query(`DROP ROLE ${reader.name}`);
    await proxied.stop();
  });

  test('a role gets the errors that it would get', async () => {
    const calls = ['total', 'secrets', 'both_of', 'withheld', 'calls_withheld', 'guarded_count'];
    const statements = calls.map((name) => `SELECT ${name}()`);
    await assertSameAs(proxied, reader, session, [...statements, ...statements]);
    await assertSameAs(proxied, null, session, statements);
    await assertSameAs(proxied, reader, session, statements);
  });

  test('code in a literal of a function does not run with the rights of the service', async () => {
    await client.query('SELECT in_body()').catch(() => undefined);
    await client.query('SELECT in_default()').catch(() => undefined);
    await client.query('SELECT in_default(1)');
    assert.equal(await proxied.database.query('SELECT who FROM witness'), []);
  });

  test('a role that may only read stages, and its functions read that', async () => {
    await client.query('INSERT INTO orders VALUES (3, 30)');
    assert.equal((await client.query('SELECT total()')).rows, [{ total: '60' }]);
    assert.is((await rejects(client.query('SELECT withheld()'))).code, '42501');
  });

  test('what is staged decides nothing that rights depend on', async () => {
    await client.query(`INSERT INTO member VALUES ('${reader.name}')`);
    assert.equal((await client.query('SELECT is_member()')).rows, [{ is_member: true }]);
    const { rows } =
      await client.query(`SELECT (SELECT count(*) FROM guarded) AS guarded, guarded_count(),
      keeper(), keeper_by_function(), is_member()`);
    assert.equal(rows, [
      {
        guarded: '0',
        guarded_count: '0',
        keeper: 0,
        keeper_by_function: false,
        is_member: true,
      },
    ]);
    assert.is((await rejects(client.query('SELECT opened_count()'))).code, '42501');
  });
});
