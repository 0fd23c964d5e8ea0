/**
 * The facts for a reviewer before deciding: who created the session, for what purpose and when; which triggers will run; the reviewed part.
 */

import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

const tokens = [
  testToken({ name: 'bob', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];
const words = "at approval runs production's trigger touch (BEFORE UPDATE)";

suite('before deciding', (test) => {
  let rest: TestRest;
  let shell: Shell;
  let id = '';
  test.before(async () => {
    rest = await startTestRest({ tokens });
    shell = await createShell(rest.url);
    await rest.database.query(`
      CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := 'touched'; RETURN NEW; END $$;
      CREATE TRIGGER touch BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch();
      CREATE TRIGGER asleep BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch();
      ALTER TABLE orders DISABLE TRIGGER asleep;
      CREATE TRIGGER other AFTER DELETE ON orders FOR EACH ROW EXECUTE FUNCTION touch();`);
    id = await fresh();
  });
  test.after(async () => {
    await shell.clear();
    await rest.stop();
  });

  const as = (token: string) => ({ env: { STAGE_TOKEN: token } });

  async function fresh(): Promise<string> {
    const json = { metadata: { ticket: 7, title: 'Fix notes' } };
    const headers = { authorization: 'Bearer bob' };
    const { body } = await rest.call('POST', '/sessions', { json, headers });
    await rest.write(body.id, `UPDATE orders SET note = 'x' WHERE id = 1`);
    await rest.call('POST', `/sessions/${body.id}/propose`, { json: {}, headers });
    return body.id;
  }

  test('the triggers that will run are in the diff, in text and Markdown, in its outline', async () => {
    const headers = { authorization: 'Bearer ann' };
    const triggers = [{ name: 'touch', timing: 'BEFORE', events: ['UPDATE'], unstaged: null }];
    for (const part of ['diff', 'diff/outline']) {
      const { body } = await rest.call('GET', `/sessions/${id}/${part}`, { headers });
      assert.equal(body.tables.orders.triggers, triggers, part);
    }
    assert.match((await shell.run(['diff', id], as('ann'))).stdout, `  ! ${words}\n`);
    const markdown = (await shell.run(['diff', id, '-o', 'markdown'], as('ann'))).stdout;
    assert.match(markdown, /trigger touch \(BEFORE UPDATE\)/);
  });

  test('lists and records name author, purpose and age', async () => {
    const list = (await shell.run(['session', 'list'], as('ann'))).stdout;
    assert.match(list, /\tbob\tFix notes\t\d+ (?:s|min)\n/);
    const shown = (await shell.run(['session', 'show', id], as('ann'))).stdout;
    assert.match(shown, /author\s+bob\n/);
    assert.match(shown, /created\s+\S+ \(\d+ (?:s|min) ago\)/);
  });

  for (const decision of ['approve', 'reject']) {
    test(`${decision} asks with all of it`, async () => {
      const asked = await shell.atTerminal([decision, id], { ...as('ann'), input: 'no\n' });
      assert.is(asked.code, 1);
      assert.match(asked.stderr, /It was made by bob for Fix notes \d+ (?:s|min) ago\./);
      assert.match(asked.stderr, `orders: ${words}`);
      assert.match(asked.stderr, '0 of 1 changes marked as reviewed.');
    });
  }

  test('an error names the session and the step that fits its state', async () => {
    const { body } = await rest.call('POST', '/sessions', {
      json: {},
      headers: { authorization: 'Bearer bob' },
    });
    const early = await shell.run(['approve', body.id, '--yes'], as('ann'));
    assert.is(early.code, 6);
    assert.match(early.stderr, `cannot approve session ${body.id}: it is active`);
    assert.match(early.stderr, `stage propose ${body.id}`);
  });

  test('a unique beginning of an id will do', async () => {
    const { code, stdout } = await shell.run(['session', 'show', id.slice(0, 17)], as('ann'));
    assert.is(code, 0);
    assert.match(stdout, id);
  });

  test('a rejected session says so, in its diff and its log', async () => {
    const other = await fresh();
    await shell.run(['reject', other, '--yes'], as('ann'));
    const words = 'Rejected: its changes were discarded.';
    for (const form of [[], ['-o', 'markdown'], ['--steps']])
      assert.is((await shell.run(['diff', other, ...form], as('ann'))).stdout, `${words}\n`);
    const { stdout, stderr } = await shell.atTerminal(['log', other], as('ann'));
    assert.match(stdout + stderr, words);
  });

  test('the one who approves is the token, where nobody is named', async () => {
    const { code } = await shell.run(['approve', id, '--yes'], as('ann'));
    assert.is(code, 0);
    const headers = { authorization: 'Bearer ann' };
    const { body } = await rest.call('GET', `/sessions/${id}`, { headers });
    assert.is(body.approved_by, 'ann');
  });

  test('a deletion in conflict is called one, and a row that is gone no NULL', async () => {
    const { body } = await rest.call('POST', '/sessions', {
      json: {},
      headers: { authorization: 'Bearer bob' },
    });
    const sql = (text: string) => rest.database.query(text);
    await rest.write(body.id, 'DELETE FROM order_items WHERE order_id = 2 AND product_id = 2');
    await rest.write(body.id, `UPDATE customers SET name = 'x' WHERE id = 3`);
    await shell.run(['propose', body.id], as('bob'));
    await sql('UPDATE order_items SET quantity = 40 WHERE order_id = 2 AND product_id = 2');
    await sql('DELETE FROM customers WHERE id = 3');
    const check = await shell.run(['check', body.id], as('ann'));
    assert.match(check.stdout, /\tquantity\t[^\t]+\t1\t\(row deleted\)\t40\n/);
    assert.match(check.stdout, /^customers\t3\tname\t[^\t]+\t[^\t]+\tx\t\(no row\)\n/m);
    const approve = await shell.run(['approve', body.id, '--yes'], as('ann'));
    assert.match(approve.stderr, /quantity: was 1, staged \(row deleted\), in production 40\n/);
    const json = await shell.run(['check', body.id, '--json'], as('ann'));
    const { conflicts } = JSON.parse(json.stdout);
    assert.equal(
      conflicts.map((conflict: { session_deletes?: true }) => conflict.session_deletes),
      [undefined, true],
    );
  });
});
