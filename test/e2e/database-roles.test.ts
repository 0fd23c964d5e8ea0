/** A token file, logins through the proxy, and how REST handles the roles that staged: from the first write to the approval. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('database roles of those who stage', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'stage-roles-'));
  let database: TestDatabase;
  let daemon: TestDaemon;
  /** The database roles of an author and of a reviewer. */
  let clerk: TestRole;
  let login: TestRole;
  let session: string;
  test.before(async () => {
    database = await createTestDatabase();
    clerk = await createRole(database, 'GRANT SELECT ON customers, products TO $role');
    login = await createRole(database, 'GRANT SELECT ON customers TO $role');
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const tokenFile = join(folder, 'tokens');
    const lines = [
      `agent author sha256:${hash('agent')}`,
      `ann reviewer database_roles=${login.name},other sha256:${hash('ann')}`,
      `bob reviewer sha256:${hash('bob')}`,
    ];
    writeFileSync(tokenFile, lines.join('\n'), { mode: 0o600 });
    daemon = await startTestDaemon({ database, flags: { tokenFile, fourEyes: true } });
    session = (await call('POST', '/sessions', 'agent', {})).session_id;
  });
  test.after(async () => {
    await daemon.stop();
    await clerk.drop();
    await login.drop();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const call = async (method: string, path: string, token: string, json?: object) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await daemon.call(method, path, json ? { headers, json } : { headers })).body;
  };
  const stage = async ({ name }: TestRole, statement: string) => {
    const client = new pg.Client({ connectionString: daemon.clientUrl(session, name, name) });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };

  test('an author reads of what it reached no more than its role may', async () => {
    await stage(clerk, 'DELETE FROM customers WHERE id = 2');
    await stage(clerk, `UPDATE products SET name = 'Mug' WHERE id = 1`);
    await database.query(`REVOKE SELECT ON products FROM ${clerk.name}`);
    const { tables, digest } = await call('GET', `/sessions/${session}/diff`, 'agent');
    const whole = await call('GET', `/sessions/${session}/diff`, 'bob');
    assert.is(tables.customers.changes[0].before.name, 'Grace Hopper');
    assert.equal(
      [tables.orders.hidden, tables.orders.deletes, tables.orders.changes],
      [true, 1, []],
    );
    assert.equal([tables.products.hidden, tables.products.changes], [true, []], 'no longer');
    assert.is(whole.tables.products.changes[0].after.name, 'Mug');
    assert.is(whole.digest, digest);
    const { mutations } = await call('GET', `/sessions/${session}/mutations`, 'agent');
    assert.equal(
      mutations.map((each: Record<string, unknown>) => [each['role'], each['hidden'] ?? false]),
      [
        [clerk.name, false],
        [clerk.name, true],
      ],
    );
  });

  test('a reviewer who logs in and stages beside the author does not approve it', async () => {
    await stage(login, `UPDATE customers SET name = 'smuggled' WHERE id = 1`);
    const proposed = await call('POST', `/sessions/${session}/propose`, 'agent', {});
    assert.equal(proposed.roles, [clerk.name, login.name].sort());
    const refused = await call('POST', `/sessions/${session}/approve`, 'ann', {});
    assert.is(refused.error, 'four_eyes_required');
    assert.match(
      refused.message,
      `ann may not approve the session: the database role "${login.name}"`,
    );
    const approved = await call('POST', `/sessions/${session}/approve`, 'bob', {});
    assert.equal([approved.status, approved.approved_as], ['approved', 'bob']);
  });

  test('who sets another role is known by both, and does not approve', async () => {
    const acting = await createRole(
      database,
      `GRANT SELECT ON customers TO $role; GRANT $role TO ${login.name}`,
    );
    session = (await call('POST', '/sessions', 'agent', {})).session_id;
    await stage(
      login,
      `SET ROLE ${acting.name}; UPDATE customers SET name = 'as another' WHERE id = 1`,
    );
    const { mutations } = await call('GET', `/sessions/${session}/mutations`, 'agent');
    assert.equal(
      mutations.map((each: Record<string, unknown>) => [each['role'], each['login']]),
      [[acting.name, login.name]],
    );
    const proposed = await call('POST', `/sessions/${session}/propose`, 'agent', {});
    assert.equal(proposed.roles, [acting.name, login.name].sort());
    const refused = await call('POST', `/sessions/${session}/approve`, 'ann', {});
    assert.match(refused.message, `the database role "${login.name}" staged in it`);
    const { tables } = await call('GET', `/sessions/${session}/diff`, 'agent');
    assert.is(tables.customers.changes[0].after.name, 'as another', 'the role set may read it');
    await call('POST', `/sessions/${session}/reject`, 'bob', {});
    await acting.drop();
  });
});
