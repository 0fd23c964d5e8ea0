/** The rights by which a table counts as readable for a database role, so that an author's token is shown its rows. */
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'agent', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];

const as = (name: string): Sent => ({ headers: { authorization: `Bearer ${name}` } });

const update = `UPDATE customers SET name = 'X' WHERE id = 1`;

suite('rest: tables that may be read', (test) => {
  let rest: TestRest;
  /** May read customers, and nothing else. */
  let clerk: TestRole;
  /** May read every table. */
  let chief: TestRole;
  let id: string;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    clerk = await createRole(rest.database, 'GRANT SELECT ON customers TO $role');
    chief = await createRole(rest.database, 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role');
  });
  test.after(async () => {
    await clerk.drop();
    await chief.drop();
    await rest.stop();
  });
  test.beforeEach(async () => {
    id = (await rest.call('POST', '/sessions', { ...as('agent'), json: {} })).body.session_id;
  });

  const sql = (text: string) => rest.database.query(text.replaceAll('$clerk', clerk.name));
  const get = async (path: string, name = 'agent') => {
    const { status, body } = await rest.call('GET', path, as(name));
    assert.is(status, 200, path);
    return body;
  };
  const ofSession = (path: string, name = 'agent') => get(`/sessions/${id}/${path}`, name);
  /** Returns whether the author is shown what a session changed in customers. */
  const shown = async () => {
    const { customers } = (await ofSession('diff')).tables;
    assert.is(customers.updates, 1);
    assert.is(customers.changes.length, customers.hidden ? 0 : 1);
    return customers.hidden !== true;
  };

  test('rights are those at the time of asking', async () => {
    await rest.write(id, update, [], clerk.name);
    assert.ok(await shown());
    await sql('REVOKE SELECT ON customers FROM $clerk');
    assert.not(await shown());
    await sql('GRANT SELECT ON customers TO $clerk');
    assert.ok(await shown());
    await sql('REVOKE USAGE ON SCHEMA public FROM PUBLIC');
    const inside = await shown();
    await sql('GRANT USAGE ON SCHEMA public TO PUBLIC');
    assert.not(inside, 'a schema that may not be used');
  });

  test('columns that may be read are not the table, unless they are all of it', async () => {
    await rest.write(id, update, [], clerk.name);
    await sql('REVOKE SELECT ON customers FROM $clerk');
    await sql('GRANT SELECT (id, email, name, profile) ON customers TO $clerk');
    assert.not(await shown());
    await sql('GRANT SELECT (created_at) ON customers TO $clerk');
    assert.ok(await shown());
    await sql('REVOKE SELECT (id, email, name, profile, created_at) ON customers FROM $clerk');
    await sql('GRANT SELECT ON customers TO $clerk');
  });

  test('row-level security hides the table from whom it could hide rows', async () => {
    await rest.write(id, update, [], clerk.name);
    await sql('ALTER TABLE customers ENABLE ROW LEVEL SECURITY');
    await sql('CREATE POLICY all_of_them ON customers USING (true)');
    assert.not(await shown(), 'whatever the policy says');
    await sql('ALTER ROLE $clerk BYPASSRLS');
    assert.ok(await shown());
    await sql('ALTER ROLE $clerk NOBYPASSRLS');
    await sql('ALTER TABLE customers OWNER TO $clerk');
    assert.ok(await shown(), 'its owner');
    await sql('ALTER TABLE customers FORCE ROW LEVEL SECURITY');
    assert.not(await shown(), 'its owner, where it is forced');
    await sql('ALTER TABLE customers OWNER TO CURRENT_USER');
    await sql('ALTER TABLE customers NO FORCE ROW LEVEL SECURITY');
    await sql('DROP POLICY all_of_them ON customers');
    await sql('ALTER TABLE customers DISABLE ROW LEVEL SECURITY');
    await sql('GRANT SELECT ON customers TO $clerk');
    assert.ok(await shown());
  });

  test('every role that staged must be able to read', async () => {
    await rest.write(id, `UPDATE orders SET note = 'n' WHERE id = 3`, [], chief.name);
    assert.is((await ofSession('diff')).tables.orders.changes.length, 1);
    await rest.write(id, update, [], clerk.name);
    const { tables } = await ofSession('diff');
    assert.equal([tables.orders.hidden, tables.orders.changes], [true, []]);
    assert.is(tables.customers.changes.length, 1);
    assert.equal((await get(`/sessions/${id}`)).roles, [chief.name, clerk.name].sort());
  });

  test('a role that is not known, or no more, reads nothing', async () => {
    await rest.write(id, update, [], clerk.name);
    const passing = await createRole(rest.database, 'GRANT SELECT ON customers TO $role');
    await rest.write(id, `UPDATE customers SET name = 'Y' WHERE id = 1`, [], passing.name);
    assert.ok(await shown());
    await passing.drop();
    assert.not(await shown());
    await rest.database.query('DELETE FROM stage.mutation WHERE role = $1', [passing.name]);
    assert.ok(await shown());
    const session = [id.slice('sess_'.length)];
    await rest.database.query('UPDATE stage.mutation SET role = NULL WHERE session = $1', session);
    assert.not(await shown());
    assert.equal((await get(`/sessions/${id}`)).roles, [null]);
    assert.is((await ofSession('mutations')).mutations[0].query, null);
    assert.is((await ofSession('diff', 'ann')).tables.customers.changes.length, 1);
    await rest.database.query('DELETE FROM stage.mutation WHERE session = $1', session);
    assert.not(await shown(), 'no role at all');
  });
});

suite('rest: without tokens', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  test('nothing is hidden', async () => {
    const clerk = await createRole(rest.database, 'GRANT SELECT ON customers TO $role');
    const id = await rest.newSession();
    await rest.write(id, 'DELETE FROM customers WHERE id = 2', [], clerk.name);
    const { body } = await rest.call('GET', `/sessions/${id}/diff`);
    assert.is(body.tables.orders.changes.length, 1);
    assert.is(body.tables.orders.hidden, undefined);
    await clerk.drop();
  });
});
