/** The command line for an author, about tables that a database role which staged in the session may not read. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

const tokens = [
  testToken({ name: 'agent', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];

const sentence = (changes: string) =>
  `${changes} hidden: your token's database roles may not read this table`;

suite('hidden tables on the command line', (test) => {
  let rest: TestRest;
  let shell: Shell;
  let clerk: TestRole;
  let id: string;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    shell = await createShell(rest.url);
    const { database, write } = rest;
    clerk = await createRole(database, 'GRANT SELECT ON customers, products TO $role');
    id = (await run(['session', 'new', '-p', 'hidden'])).stdout.trim();
    await write(id, 'DELETE FROM customers WHERE id = 2', [], clerk.name);
    await write(id, 'UPDATE products SET stock = $1 WHERE id = 1', [77], clerk.name);
    await database.query(`REVOKE SELECT ON products FROM ${clerk.name}`);
  });
  test.after(async () => {
    await shell.clear();
    await clerk.drop();
    await rest.stop();
  });

  const run = (args: readonly string[], token = 'agent') =>
    shell.run(args, { env: { STAGE_TOKEN: token } });

  test('the diff counts them', async () => {
    const { stdout } = await run(['diff', id]);
    assert.match(stdout, `orders\n  ${sentence('1 change')}\n  0 inserted, 0 updated, 1 deleted\n`);
    assert.match(stdout, `order_items\n  ${sentence('2 changes')}\n`);
    assert.match(
      stdout,
      '1 of 5 changes shown\n0 inserted, 1 updated, 4 deleted in 4 tables\ndigest',
    );
    assert.match(stdout, 'Grace Hopper');
    assert.not.match(stdout, 'stock');
    assert.not.match((await run(['diff', id], 'ann')).stdout, 'hidden');
  });

  test('so do its other forms', async () => {
    assert.match((await run(['diff', id, '-o', 'markdown'])).stdout, sentence('2 changes'));
    assert.match(
      (await run(['diff', id, '-o', 'sql'])).stdout,
      `-- orders: ${sentence('1 change')}`,
    );
    for (const form of ['csv', 'jsonl']) {
      const { stdout, stderr } = await run(['diff', id, '-o', form]);
      assert.not.match(stdout, /hidden|orders/);
      assert.match(stderr, `warning: orders: ${sentence('1 change')}`);
    }
    const { tables } = JSON.parse((await run(['diff', id, '--json'])).stdout);
    assert.equal(tables.orders, {
      inserts: 0,
      updates: 0,
      deletes: 1,
      further_changes: 0,
      hidden: true,
      columns: [],
      triggers: [],
      changes: [],
    });
    assert.match((await run(['diff', id, '--stat'])).stdout, /orders.*1/);
  });

  test('steps of theirs are counted', async () => {
    const { stdout } = await run(['diff', id, '--steps']);
    assert.match(
      stdout,
      `orders\n  ${sentence('1 change')}\nproducts\n  ${sentence('1 change')}\ndigest`,
    );
    assert.match(stdout, /^customers\n {2}- 2 /);
    const { stdout: lines, stderr } = await run(['diff', id, '--steps', '-o', 'jsonl']);
    assert.match(lines, /^.*\n\{"end":true,"changes":1,.*\n$/);
    assert.match(stderr, `warning: orders: ${sentence('1 change')}`);
    const only = await run(['diff', id, '--steps', '--table', 'orders', '--exit-code']);
    assert.is(only.code, 2);
    assert.match(only.stdout, /^orders\n {2}1 change hidden: .*\ndigest/);
  });

  test('hidden changes are changes', async () => {
    const { code, stdout } = await run(['diff', id, '--table', 'orders', '--exit-code']);
    assert.is(code, 2);
    assert.match(stdout, sentence('1 change'));
  });

  test('one after the other, they are passed over', async () => {
    const { stdout } = await shell.atTerminal(['diff', id, '--patch', '--no-color'], {
      env: { STAGE_TOKEN: 'agent' },
      input: 'y\n',
    });
    assert.match(stdout, `orders\n  ${sentence('1 change')}\n`);
    assert.match(stdout, '1 reviewed');
  });

  test('the log has no text of theirs, and names the role', async () => {
    const rows = (await run(['log', id])).stdout
      .split('\n')
      .map((line) => line.split('\t').slice(3, 8));
    const hidden = "hidden: your token's database roles may not read this table";
    assert.equal(rows.slice(0, 2), [
      ['customers', '1', 'DELETE FROM customers WHERE id = 2', '', clerk.name],
      ['products', '1', hidden, '', clerk.name],
    ]);
    assert.match((await run(['log', id], 'ann')).stdout, '$1=77');
    assert.match((await run(['session', 'show', id])).stdout, `roles\t${clerk.name}\n`);
  });

  test('conflicts say where they are', async () => {
    await rest.database.query('UPDATE products SET stock = 13 WHERE id = 1');
    const { code, stdout } = await run(['check', id]);
    assert.is(code, 3);
    assert.match(stdout, /^products\thidden: [^\t]+\t\tthe row has changed in production\t\t\t\n$/);
    await rest.database.query('UPDATE products SET stock = 120 WHERE id = 1');
  });

  test('the audit and who watches see as little', async () => {
    assert.is((await run(['propose', id])).code, 0);
    const { digest } = JSON.parse((await run(['diff', id, '--json'])).stdout);
    assert.is((await run(['approve', id, '--yes', '--digest', digest], 'ann')).code, 0);
    const watched = (await run(['watch', id])).stdout;
    assert.match(watched, /products\t1\thidden: /);
    assert.not.match(watched, 'UPDATE products');
    const list = (await run(['audit', 'list', '-p', 'hidden'])).stdout.trimEnd().split('\n');
    const products =
      list.map((line) => line.split('\t')).find((row) => row[5] === 'products') ?? [];
    assert.match(products[6] ?? '', /^hidden: /);
    const shown = (await run(['audit', 'show', products[0] ?? ''])).stdout;
    assert.match(shown, /^row\thidden: /m);
    assert.not.match(shown, /before|after/);
    assert.match(
      (await run(['audit', 'show', products[0] ?? ''], 'ann')).stdout,
      /^after stock\t77$/m,
    );
  });
});
