/** Revert over REST and from the command line: the new session, what is left out, who approves it, and what authors are shown. */

import { revertedSession } from '../../src/rest/schemas/outputs.ts';
import { createShell } from '../cli/stage.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'ben', role: 'author' }),
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
  testToken({ name: 'boss', role: 'operator' }),
];

const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

const role = 'stage_test_reverter';

suite('rest: revert', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens, fourEyes: true });
    await rest.database.query(
      `CREATE ROLE ${role} LOGIN PASSWORD '${role}'; GRANT SELECT, UPDATE ON products TO ${role}`,
    );
  });
  test.after(async () => {
    await rest.database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await rest.stop();
  });

  const post = (path: string, name: string, json = {}) => rest.call('POST', path, as(name, json));

  async function approved(author: string, ...statements: readonly string[]): Promise<string> {
    const { id } = (await post('/sessions', author)).body;
    for (const statement of statements) await rest.write(id, statement, [], role);
    await post(`/sessions/${id}/propose`, author);
    assert.is((await post(`/sessions/${id}/approve`, 'ann')).status, 200);
    return id;
  }

  const stockOf = async (id: number) =>
    (await rest.database.query<{ stock: number }>(`SELECT stock FROM products WHERE id = ${id}`))[0]
      ?.stock;

  test('makes a session that is reviewed by somebody else, and takes everything back', async () => {
    const before = await stockOf(1);
    const id = await approved('ben', 'UPDATE products SET stock = stock + 5 WHERE id = 1');
    const { status, body } = await post(`/sessions/${id}/revert`, 'root', {
      metadata: { why: 'oops' },
    });
    assert.is(status, 201);
    assert.equal(revertedSession.parse(body), body);
    assert.equal(
      [body.reverts, body.status, body.created_as, body.skipped, body.metadata.why],
      [id, 'active', 'root', [], 'oops'],
    );
    const { events } = (await rest.call('GET', `/sessions/${body.id}/events`, as('ann'))).body;
    assert.equal(events[0].body, { reverts: id });
    await post(`/sessions/${body.id}/propose`, 'root');
    assert.is((await post(`/sessions/${body.id}/approve`, 'root')).status, 403);
    assert.is((await post(`/sessions/${body.id}/approve`, 'boss')).status, 200);
    assert.is(await stockOf(1), before);
  });

  test('refuses what is not approved, and agents the sessions of others', async () => {
    const { id } = (await post('/sessions', 'ben')).body;
    const { status, body } = await post(`/sessions/${id}/revert`, 'ben');
    assert.equal([status, body.error, body.status], [409, 'invalid_transition', 'active']);
    assert.is((await post(`/sessions/${id}/revert`, 'bot')).status, 404);
    assert.is((await post(`/sessions/${id}/revert`, 'ann')).status, 403);
    assert.is((await post(`/sessions/${id}/revert`, 'root', { skip_changed: 1 })).status, 400);
  });

  test('names rows that have changed, or leaves them out', async () => {
    const id = await approved('ben', 'UPDATE products SET stock = stock + 5 WHERE id IN (2, 3)');
    await rest.database.query('UPDATE products SET stock = 1000 WHERE id = 2');
    const refused = await post(`/sessions/${id}/revert`, 'ben');
    assert.equal([refused.status, refused.body.error], [409, 'conflict_detected']);
    const [conflict] = refused.body.conflicts;
    assert.equal(
      [conflict.row_id, conflict.field, conflict.production_current],
      [2, 'stock', 1000],
    );
    const { status, body } = await post(`/sessions/${id}/revert`, 'ben', { skip_changed: true });
    assert.equal([status, body.skipped.length, body.skipped[0].row_id], [201, 1, 2]);
    const diff = (await rest.call('GET', `/sessions/${body.id}/diff`, as('ann'))).body;
    assert.equal([diff.tables.products.updates, diff.tables.products.changes[0].row_id], [1, 3]);
    const own = (await rest.call('GET', `/sessions/${body.id}/diff`, as('ben'))).body;
    assert.equal(own, diff);
  });

  test('shows an author what the revert stages while the roles of the session may read it', async () => {
    const id = await approved('ben', 'UPDATE products SET stock = stock + 5 WHERE id = 4');
    const { id: first } = (await post(`/sessions/${id}/revert`, 'ben')).body;
    await post(`/sessions/${first}/propose`, 'ben');
    await post(`/sessions/${first}/approve`, 'boss');
    const { id: second } = (await post(`/sessions/${first}/revert`, 'ben')).body;
    const shown = async (session: string) => {
      const { body } = await rest.call('GET', `/sessions/${session}/diff`, as('ben'));
      const { products } = body.tables;
      assert.is(products.changes.length, products.hidden ? 0 : 1);
      return products.hidden !== true;
    };
    assert.equal([await shown(first), await shown(second)], [true, true]);
    await rest.database.query(`REVOKE SELECT ON products FROM ${role}`);
    try {
      assert.equal([await shown(first), await shown(second)], [false, false]);
    } finally {
      await rest.database.query(`GRANT SELECT ON products TO ${role}`);
    }
    const blind = await createRole(rest.database, 'GRANT SELECT ON customers TO $role');
    await rest.write(second, 'UPDATE customers SET name = name WHERE id = 1', [], blind.name);
    assert.not(await shown(second), 'another role that has staged in it by now may not');
    await blind.drop();
  });

  test('tells authors nothing of tables that the roles of the session may not read', async () => {
    const id = await approved('ben', 'UPDATE products SET stock = stock + 5 WHERE id = 4');
    await rest.database.query(
      `UPDATE products SET stock = 77 WHERE id = 4; REVOKE SELECT ON products FROM ${role}`,
    );
    try {
      const [conflict] = (await post(`/sessions/${id}/revert`, 'ben')).body.conflicts;
      assert.equal(
        [conflict.hidden, conflict.row_id, conflict.production_current],
        [true, null, null],
      );
      const [seen] = (await post(`/sessions/${id}/revert`, 'root')).body.conflicts;
      assert.equal([seen.hidden, seen.production_current], [undefined, 77]);
    } finally {
      await rest.database.query(`GRANT SELECT ON products TO ${role}`);
    }
  });

  test('stage revert prints the session, names what it leaves out, ends with 3 and 6', async () => {
    const shell = await createShell(rest.url);
    const env = { STAGE_TOKEN: 'root' };
    try {
      const id = await approved('ben', 'UPDATE products SET stock = stock + 5 WHERE id IN (1, 5)');
      await rest.database.query('UPDATE products SET stock = 1 WHERE id = 5');
      const refused = await shell.run(['revert', id], { env });
      assert.is(refused.code, 3);
      assert.match(refused.stderr, /products 5 stock: was \d+, staged \d+, in production 1\n/);
      assert.match(refused.stderr, /--skip-changed/);
      const done = await shell.run(['revert', id, '--skip-changed'], { env });
      assert.is(done.code, 0);
      assert.match(done.stdout, /^sess_[0-9a-f]{32}\tactive\n$/);
      assert.match(done.stderr, /left out, because it has changed since: products 5\n/);
      const again = await shell.run(['revert', done.stdout.slice(0, 37)], { env });
      assert.is(again.code, 6);
    } finally {
      await shell.clear();
    }
  });
});
