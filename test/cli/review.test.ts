/** Review on the command line, from the staged rows to the audit, with every exit code on the way. */
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

const update = `UPDATE orders SET note = E'new\\u202e\\nline' WHERE id = 1`;
const insert = `INSERT INTO products (sku, name, price, stock) VALUES ($1, $2, 1.50, 9)`;
const remove = 'DELETE FROM order_items WHERE order_id = 1 AND product_id = 5';

const esc = '\x1b';
const withoutColours = (text: string) => text.replaceAll(new RegExp(`${esc}\\[\\d+m`, 'g'), '');
/** Removes readline's moves of the cursor to the prompt and back. */
const withoutMoves = (text: string) => text.replaceAll(new RegExp(`${esc}\\[\\d+[GJ]`, 'g'), '');

suite('review on the command line', (test) => {
  const served = serve(test);
  let id: string;
  test.beforeEach(async () => {
    id = (await served.shell.run(['session', 'new'])).stdout.trim();
    await served.rest.write(id, update);
    await served.rest.write(id, insert, [`SKU-${id.slice(5, 15)}`, ' spaced']);
  });

  test('shows the diff line by line', async () => {
    await served.rest.write(id, remove);
    const { code, stdout, stderr } = await served.shell.run(['diff']);
    assert.equal([code, stderr], [0, '']);
    const lines = stdout.split('\n');
    assert.ok(lines.includes("  ~ 1  note: NULL → E'new\\u202e\\nline'"));
    assert.ok(
      lines.some((line) =>
        /^ {2}\+ \d+ {2}id: \d+ {2}sku: SKU-\w+ {2}name: ' spaced' {2}price: 1\.50 {2}stock: 9$/.test(
          line,
        ),
      ),
    );
    assert.ok(
      lines.includes(
        '  - order_id=1,product_id=5  order_id: 1  product_id: 5  quantity: 1  price: 6.99',
      ),
    );
    assert.ok(lines.includes('1 inserted, 1 updated, 1 deleted in 3 tables'));
    assert.match(lines.at(-2) ?? '', /^digest sha256:[0-9a-f]{64}$/);
  });

  test('shows the same diff in a terminal, in colour', async () => {
    const { stdout } = await served.shell.atTerminal(['diff']);
    assert.ok(stdout.includes(`${esc}[32m`));
    assert.is(withoutColours(stdout), (await served.shell.run(['diff'])).stdout);
    assert.is(
      (await served.shell.atTerminal(['diff', '--no-color'])).stdout,
      (await served.shell.run(['diff'])).stdout,
    );
  });

  test('shows one table of it', async () => {
    const { stdout } = await served.shell.run(['diff', '--table', 'orders']);
    assert.match(stdout, /^orders\n/);
    assert.not.match(stdout, /products/);
    assert.is((await served.shell.run(['diff', '--table', 'customers', '--exit-code'])).code, 0);
  });

  test('exits with 2 only when asked to, and only when there are changes', async () => {
    assert.is((await served.shell.spawn(['diff'])).code, 0);
    for (const form of [[], ['--stat'], ['--json']]) {
      assert.is((await served.shell.run(['diff', '--exit-code', ...form])).code, 2);
    }
    const { stdout } = await served.shell.run(['session', 'new']);
    assert.is((await served.shell.run(['diff', '--exit-code', stdout.trim()])).code, 0);
  });

  test('lists the statements', async () => {
    const { stdout } = await served.shell.run(['log']);
    const [first = [], second = []] = stdout.split('\n').map((line) => line.split('\t'));
    const role = served.rest.database.user;
    assert.equal(first.slice(2, -1), ['UPDATE', 'orders', '1', update, '', role]);
    assert.match(first.at(-1) ?? '', /^\d+$/);
    assert.match(
      second.join('|'),
      /^mut_\d+\|.+\|INSERT\|products\|1\|INSERT INTO .*\|\$1=SKU-\w+ \$2=' spaced'\|\w+\|\d+$/,
    );
    const filtered = await served.shell.run(['log', '--type', 'insert', '--json']);
    assert.is(
      filtered.stdout,
      `${(await served.rest.call('GET', `/sessions/${id}/mutations?type=INSERT`)).text}\n`,
    );
    assert.is(
      (await served.shell.run(['log', '--table', 'orders', '--limit', '5'])).stdout.split('\n')
        .length,
      2,
    );
  });

  test('goes from propose to the audit', async () => {
    const proposed = await served.shell.run(['propose']);
    assert.equal([proposed.code, proposed.stdout], [0, `${id}\tproposed\n`]);
    assert.equal((await served.shell.run(['check'])).code, 0);
    const approved = await served.shell.run([
      'approve',
      '--yes',
      '--by',
      'ada@example.org',
      '--json',
    ]);
    assert.is(approved.code, 0);
    const body = JSON.parse(approved.stdout);
    assert.equal(
      [body.status, body.approved_by, body.mutation_count],
      ['approved', 'ada@example.org', 2],
    );
    const [order] = await served.rest.database.query('SELECT note FROM orders WHERE id = 1');
    assert.is(order?.['note'], 'new\u202e\nline');

    const audit = await served.shell.run(['audit', 'list', '--session', id]);
    const rows = audit.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    assert.equal(
      rows.map((row) => row.slice(2, 6)),
      [
        ['ada@example.org', id, 'UPDATE', 'orders'],
        ['ada@example.org', id, 'INSERT', 'products'],
      ],
    );
    const shown = await served.shell.run(['audit', 'show', rows[0]?.[0] ?? '']);
    assert.match(shown.stdout, /^before note\tNULL$/m);
    assert.match(shown.stdout, /^after note\tE'new\\u202e\\nline'$/m);
    const verified = await served.shell.run(['audit', 'verify']);
    assert.is(verified.code, 0);
    assert.match(verified.stdout, /^verdict\tintact\n/);
    assert.match((await served.shell.atTerminal(['audit', 'verify'])).stdout, /verdict .*intact/);
    assert.match(
      (await served.shell.run(['diff'])).stdout,
      /1 inserted, 1 updated, 0 deleted in 2 tables/,
    );
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
  });

  test('names the approver after the account unless told otherwise', async () => {
    await served.shell.run(['propose']);
    const { stdout } = await served.shell.run(['approve', '--yes', '--json']);
    assert.type(JSON.parse(stdout).approved_by, 'string');
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
  });

  test('approves at a terminal exactly what was asked about, and only on yes', async () => {
    await served.shell.run(['propose']);
    const no = await served.shell.atTerminal(['approve', '--no-color'], { input: 'y\n' });
    assert.is(no.code, 1);
    const size = '1 inserted, 1 updated, 0 deleted in 2 tables';
    assert.is(
      withoutMoves(no.stderr)
        .replaceAll('\r', '')
        .replace(/(?<=by postgres ).*(?=\.)/, 'now'),
      `${id}: ${size}, database ${served.rest.database.name}.\nIt was made by postgres now.\n0 of 2 changes marked as reviewed.\nApply to production? Type yes or ${id.slice(5, 13)} to go on: y\nNothing was done.\n`,
    );
    assert.match((await served.shell.run(['session', 'show'])).stdout, /^status\tproposed$/m);
    const yes = await served.shell.atTerminal(['approve', '--no-color'], {
      input: `${id.slice(5, 13)}\n`,
    });
    assert.equal([yes.code, yes.stdout], [0, `${id} is approved (2 statements).\n`]);
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
  });

  test('takes the end of input for a no', async () => {
    await served.shell.run(['propose']);
    assert.is((await served.shell.atTerminal(['approve'], { input: '\u0004' })).code, 1);
  });

  test('is interrupted at the question with 130', async () => {
    await served.shell.run(['propose']);
    const { code } = await served.shell.atTerminal(['approve'], { input: '\u0003' });
    assert.is(code, 130);
    assert.match((await served.shell.run(['session', 'show'])).stdout, /^status\tproposed$/m);
  });

  test('does not ask where CI is set', async () => {
    assert.is(
      (await served.shell.atTerminal(['approve'], { env: { CI: 'true' }, input: 'y\n' })).code,
      64,
    );
  });

  test('approves with the right digest only', async () => {
    const { digest } = JSON.parse((await served.shell.run(['diff', '--json'])).stdout);
    await served.shell.run(['propose']);
    const wrong = await served.shell.run([
      'approve',
      '--yes',
      '--digest',
      `sha256:${'0'.repeat(64)}`,
    ]);
    assert.is(wrong.code, 3);
    assert.is((await served.shell.run(['approve', '--yes', '--digest', digest])).code, 0);
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
  });

  test('refuses with 3 when production has moved, and says where', async () => {
    await served.rest.database.query(`UPDATE orders SET note = 'meanwhile' WHERE id = 1`);
    await served.shell.run(['propose']);
    const check = await served.shell.spawn(['check']);
    assert.is(check.code, 3);
    assert.match(check.stdout, /^orders\t1\tnote\t.*\tNULL\tE'new\\u202e\\nline'\tmeanwhile\n$/);
    const approve = await served.shell.spawn(['approve', '--yes']);
    assert.equal([approve.code, approve.stdout], [3, '']);
    assert.match(
      approve.stderr,
      /orders 1 note: was NULL, staged E'new\\u202e\\nline', in production meanwhile/,
    );
    const json = await served.shell.run(['approve', '--yes', '--json']);
    assert.is(JSON.parse(json.stderr).error, 'conflict_detected');
    assert.is(JSON.parse(json.stderr).conflicts[0].field, 'note');
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
  });

  test('refuses with 3 when production takes a row no longer', async () => {
    await served.rest.write(id, `UPDATE products SET stock = 1000 WHERE id = 2`);
    await served.rest.database.query(
      'ALTER TABLE products ADD CONSTRAINT small CHECK (stock < 500)',
    );
    await served.shell.run(['propose']);
    const { code, stderr } = await served.shell.run(['approve', '--yes']);
    await served.rest.database.query('ALTER TABLE products DROP CONSTRAINT small');
    assert.is(code, 3);
    assert.match(stderr, /small/);
  });

  test('rejects with a reason', async () => {
    await served.shell.run(['propose']);
    const { code, stdout } = await served.shell.run([
      'reject',
      '--yes',
      '--reason',
      'wrong customer',
    ]);
    assert.equal([code, stdout], [0, `${id}\trejected\n`]);
    assert.match((await served.shell.run(['session', 'show'])).stdout, /^reason\twrong customer$/m);
    assert.is((await served.shell.run(['diff'])).stdout, 'Rejected: its changes were discarded.\n');
  });

  test('exits with 6 where the state does not allow it', async () => {
    for (const command of [
      ['approve', '--yes'],
      ['reject', '--yes'],
    ]) {
      assert.is((await served.shell.run(command)).code, 6);
    }
    await served.shell.run(['propose']);
    const again = await served.shell.spawn(['propose']);
    assert.is(again.code, 6);
    assert.match(again.stderr, /^error: .*\nrequest: \S+\nhint: .*stage .*\n$/);
    await served.shell.run(['reject', '--yes']);
    assert.is((await served.shell.run(['session', 'delete', '--yes'])).code, 6);
  });

  test('approves the only proposed session where none is named', async () => {
    await served.shell.run(['propose']);
    const nowhere = { env: { XDG_STATE_HOME: `${served.shell.folder}/other` } };
    const others = JSON.parse(
      (await served.shell.run(['session', 'list', '--status', 'proposed', '--json'])).stdout,
    );
    for (const session of others.sessions) {
      if (session.id !== id) await served.shell.run(['session', 'delete', '--yes', session.id]);
    }
    const { stdout } = await served.shell.run(['reject', '--yes'], nowhere);
    assert.is(stdout, `${id}\trejected\n`);
  });

  test('exits with 5 for an audit entry that is not there', async () => {
    assert.is((await served.shell.run(['audit', 'show', 'aud_999999999'])).code, 5);
    assert.is((await served.shell.run(['audit', 'show', '../sessions'])).code, 5);
  });

  test('exits with 1 when the record was changed', async () => {
    const { stdout } = await served.shell.run(['audit', 'verify', '--json']);
    assert.is(stdout, `${(await served.rest.call('GET', '/audit/verify')).text}\n`);
    await served.rest.database.query(`ALTER TABLE stage.audit DISABLE TRIGGER ALL`);
    await served.rest.database.query(
      `UPDATE stage.audit SET table_name = 'forged' WHERE position = 1`,
    );
    const { code, stdout: verdict } = await served.shell.run(['audit', 'verify']);
    assert.is(code, 1);
    assert.match(verdict, /^verdict\tCHANGED\n[\s\S]*^first bad\taud_\d+: /m);
  });
});
