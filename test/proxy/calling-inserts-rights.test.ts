/** INSERT that calls functions which write: the client needs the rights that both need, column by column for the INSERT itself. */
import pg from 'pg';
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const clerk = testRole('clerk');
const schema = `
CREATE TABLE accounts (id int PRIMARY KEY, balance int); INSERT INTO accounts VALUES (1, 10), (2, 20);
CREATE TABLE hidden (id int PRIMARY KEY, n int); INSERT INTO hidden VALUES (1, 1);
CREATE TABLE lines (id int PRIMARY KEY, amount int, note text);
CREATE FUNCTION take(a int) RETURNS int LANGUAGE sql AS 'UPDATE accounts SET balance = balance - 1 WHERE id = a RETURNING balance';
CREATE FUNCTION take_hidden(a int) RETURNS int LANGUAGE sql AS 'UPDATE hidden SET n = n - 1 WHERE id = a RETURNING n';
CREATE FUNCTION withheld(a int) RETURNS int LANGUAGE sql AS 'UPDATE accounts SET balance = balance - 1 WHERE id = a RETURNING balance';
CREATE PROCEDURE nested() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO lines (id, amount) VALUES (7, take(1)); END $$;
REVOKE EXECUTE ON FUNCTION withheld FROM PUBLIC;
GRANT SELECT, UPDATE ON accounts TO ${clerk.name};
GRANT SELECT ON lines TO ${clerk.name};
GRANT INSERT (id, amount) ON lines TO ${clerk.name};
`;

suite('INSERT that calls functions which write: rights', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(createRole(clerk));
    for (const database of [proxied.database, proxied.twin]) await database.query(schema);
  });
  test.after(async () => {
    for (const database of [proxied.database, proxied.twin])
      await database.query(`DROP OWNED BY ${clerk.name}`);
    await proxied.database.query(`DROP ROLE ${clerk.name}`);
    await proxied.stop();
  });

  test('are those that PostgreSQL demands', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    await assertSameAs(proxied, clerk, session, [
      'INSERT INTO lines (id, amount) VALUES (1, take(1)) RETURNING amount',
      'INSERT INTO lines (id, amount, note) VALUES (2, take(1), 1)',
      'INSERT INTO lines (id, amount) VALUES (3, take_hidden(1))',
      'INSERT INTO hidden VALUES (5, take(1))',
      'INSERT INTO lines (id, amount) SELECT 6, take(2) RETURNING id',
    ]);
  });

  test('a function needs those to the whole table, and that to be called', async () => {
    const { daemon } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    const client = new pg.Client({
      connectionString: daemon.clientUrl(session, clerk.name, clerk.password),
    });
    await client.connect();
    const outcome = async (text: string) => JSON.stringify(await outcomeOf(client, text));
    assert.match(await outcome('CALL nested()'), /42501.*permission denied for table lines/);
    assert.match(await outcome('INSERT INTO lines (id, amount) VALUES (4, withheld(1))'), /0A000/);
    await client.end();
    const { body } = await daemon.call('GET', `/sessions/${session}/diff`);
    assert.equal((body as { tables: object }).tables, {});
  });
});
