/** Triggers that call functions which write: answers, what is read, and what the approval leaves are as they are directly. */
import type { JsonObject } from '../../src/model/json.ts';
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/calling-triggers.sql');

suite('triggers that call functions which write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});

const code = (text: string) => `LANGUAGE plpgsql AS $f$${text}$f$`;
const guarded = `
CREATE TABLE items (id int PRIMARY KEY, price int);
INSERT INTO items VALUES (1, 10), (2, 20);
CREATE TABLE lines (id int PRIMARY KEY, item int REFERENCES items ON DELETE CASCADE);
INSERT INTO lines VALUES (1, 1), (2, 1), (3, 2);
CREATE TABLE totals (id int PRIMARY KEY, n int CHECK (n < 100));
INSERT INTO totals VALUES (1, 0), (2, 0);
CREATE FUNCTION add(p int) RETURNS void ${code('BEGIN UPDATE totals SET n = n + p WHERE id = 1; END')};
CREATE FUNCTION total() RETURNS trigger ${code('BEGIN PERFORM add(1); RETURN NULL; END')};
CREATE TRIGGER total AFTER UPDATE ON items FOR EACH ROW EXECUTE FUNCTION total();
CREATE TRIGGER total AFTER DELETE ON lines FOR EACH ROW EXECUTE FUNCTION total();
CREATE TABLE entries (id int PRIMARY KEY, n int);
CREATE FUNCTION enter(p int) RETURNS void ${code('BEGIN INSERT INTO entries VALUES (p, p); UPDATE entries SET n = n + 1 WHERE id = p; END')};
CREATE TABLE tried (id int PRIMARY KEY, what text);
CREATE FUNCTION try_to() RETURNS trigger ${code(`BEGIN
  BEGIN PERFORM enter(NEW.id); EXCEPTION WHEN OTHERS THEN NEW.what := SQLERRM; END;
  RETURN NEW;
END`)};
CREATE TRIGGER try_to BEFORE INSERT ON tried FOR EACH ROW EXECUTE FUNCTION try_to();
CREATE FUNCTION forbid() RETURNS trigger ${code(`BEGIN PERFORM 1 / (NEW.n - 3); RETURN NEW; END`)};
CREATE TRIGGER forbid BEFORE INSERT OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION forbid();
`;

suite('functions that triggers call', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(guarded);
  });
  test.after(() => proxied.stop());

  const open = async (...login: string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id, ...login)) };
  };
  const ask = async (method: string, path: string, status = 200) => {
    const { body, text, status: given } = await proxied.daemon.call(method, path);
    assert.is(given, status, text);
    return body as Record<string, unknown>;
  };

  test('write for the trigger: its name stands in the diff, and approval does not apply the rows', async () => {
    const { id, client } = await open();
    await client.query('UPDATE items SET price = price + 1');
    assert.equal((await client.query('SELECT n FROM totals WHERE id = 1')).rows, [{ n: 2 }]);
    const { changes } = await ask('GET', `/sessions/${id}/diff/changes?table=totals&why=true`);
    const whys = (changes as { why: JsonObject[] }[]).flatMap(({ why }) => why);
    assert.equal(
      whys.map(({ origin, trigger }) => [origin, trigger]),
      [['trigger', 'total']],
    );
    const { steps: applied } = await ask('GET', `/sessions/${id}/diff/steps`);
    assert.equal(
      (applied as JsonObject[]).map(({ table }) => table),
      ['items', 'items'],
    );
    await ask('POST', `/sessions/${id}/propose`);
    await ask('POST', `/sessions/${id}/reject`);
    assert.equal(await proxied.database.query('SELECT n FROM totals WHERE id = 1'), [{ n: 0 }]);
  });

  test('are followed anew when they are replaced', async () => {
    const { client } = await open();
    await client.query('UPDATE items SET price = 1 WHERE id = 1');
    await proxied.database.query(
      `CREATE OR REPLACE FUNCTION add(p int) RETURNS void ${code('BEGIN UPDATE totals SET n = n + 10 * p WHERE id = 2; END')}`,
    );
    await client.query('UPDATE items SET price = 2 WHERE id = 1');
    const { rows } = await client.query('SELECT n FROM totals ORDER BY id');
    assert.equal(rows, [{ n: 1 }, { n: 10 }]);
    await proxied.database.query(
      `CREATE OR REPLACE FUNCTION add(p int) RETURNS void ${code(`BEGIN UPDATE totals SET n = n + p WHERE id = 1; PERFORM pg_advisory_xact_lock(1); END`)}`,
    );
    await client.query('UPDATE items SET price = 3 WHERE id = 1');
    assert.equal((await client.query('SELECT n FROM totals ORDER BY id')).rows, rows);
    await proxied.database.query(
      `CREATE OR REPLACE FUNCTION add(p int) RETURNS void ${code('BEGIN UPDATE totals SET n = n + p WHERE id = 1; END')}`,
    );
  });

  test('write with the rights of the client, and of the owner for the action of a foreign key', async () => {
    const role = await createRole(proxied.database, 'GRANT ALL ON items, lines TO $role');
    try {
      const { client } = await open(role.name, role.name);
      const failed = await rejects(client.query('UPDATE items SET price = 5 WHERE id = 1'));
      assert.match(failed.message, /permission denied for table totals/);
      assert.is((await client.query('DELETE FROM items WHERE id = 1')).rowCount, 1);
      await client.end();
    } finally {
      await role.drop();
    }
  });

  test('are called by blocks for OTHERS that handle errors of code, and no refusals of the service', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO tried VALUES (1), (3)');
    const { rows } = await client.query('SELECT * FROM tried ORDER BY id');
    assert.equal(rows, [
      { id: 1, what: null },
      { id: 3, what: 'division by zero' },
    ]);
    // rights to columns suffice in PostgreSQL, but not for what triggers stage
    const role = await createRole(
      proxied.database,
      'GRANT ALL ON tried TO $role; GRANT SELECT, INSERT (id, n), UPDATE (n) ON entries TO $role',
    );
    const theirs = await proxied.connect(proxied.daemon.clientUrl(id, role.name, role.name));
    const failed = await rejects(theirs.query('INSERT INTO tried VALUES (5)'));
    assert.is(failed.code, '42501');
    await theirs.end();
    await role.drop();
    await ask('POST', `/sessions/${id}/propose`);
    await ask('POST', `/sessions/${id}/approve`);
    assert.equal(await proxied.database.query('SELECT * FROM tried ORDER BY id'), rows);
    assert.equal(await proxied.database.query('SELECT * FROM entries ORDER BY id'), [
      { id: 1, n: 2 },
    ]);
  });

  test('are unstaged with the row for which the trigger fired', async () => {
    const { id, client } = await open();
    await client.query('UPDATE items SET price = 7 WHERE id = 1');
    await client.query('UPDATE items SET price = 8 WHERE id = 2');
    const { changes } = await ask('GET', `/sessions/${id}/diff/changes?table=items`);
    const [first] = changes as { row_id: string }[];
    const { text, status } = await proxied.daemon.call('POST', `/sessions/${id}/unstage`, {
      json: { rows: [{ table: 'items', row_id: first?.row_id ?? '' }], with_dependents: true },
    });
    assert.is(status, 200, text);
    const { tables } = await ask('GET', `/sessions/${id}/diff`);
    assert.equal(Object.keys(tables as object), []);
  });
});
