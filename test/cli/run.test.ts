/** `stage run`: scripts are data, which only the server interprets. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

suite('stage run', (test) => {
  let daemon: TestDaemon;
  let shell: Shell;
  let env: Record<string, string>;
  let session: string;
  test.before(async () => {
    daemon = await startTestDaemon();
    shell = await createShell(daemon.restUrl);
    const { user, password } = daemon.database;
    env = { PGUSER: user, PGPASSWORD: password, STAGE_TOKEN: 'the token' };
  });
  test.beforeEach(async () => {
    session = await daemon.newSession({ reads: 'staged' });
  });
  test.after(async () => {
    await shell.clear();
    await daemon.stop();
  });

  async function run(scripts: Record<string, string | Buffer>, ...args: string[]) {
    for (const [name, text] of Object.entries(scripts))
      await writeFile(join(shell.folder, name), text);
    const words = ['run', '--session', session, ...args, ...Object.keys(scripts)];
    return shell.spawn(words, { env });
  }
  const changes = async () => {
    const { summary } = (await daemon.call('GET', `/sessions/${session}/diff`)).body;
    return summary.total_inserts + summary.total_updates + summary.total_deletes;
  };

  test('runs scripts in order, and tells what the server remarks', async () => {
    const outcome = await run({
      '1.sql': `\ufeffUPDATE products SET price = 11 WHERE sku = 'MUG-01';\nSELECT * FROM products;`,
      '2.sql': `BEGIN; UPDATE orders SET note = 'a \\! b; "\\gexec"' WHERE id = 1; COMMIT; COMMIT`,
    });
    assert.equal([outcome.code, outcome.stdout], [0, '']);
    assert.match(outcome.stderr, '2.sql: there is no transaction in progress\n');
    assert.is(await changes(), 2);
    const diff = await shell.run(['diff', session], { env });
    assert.match(diff.stdout, 'a \\! b; "\\gexec"');
  });

  for (const [what, script, line] of [
    ['a shell', `UPDATE orders SET note = 'x';\n\\! echo $STAGE_TOKEN > stolen`, 2],
    ['a shell at the beginning', `\\! echo $STAGE_TOKEN > stolen`, 1],
    ['a shell behind a statement', `SELECT 1; /* \\! */ \\! touch stolen`, 1],
    ['a file', `\\i other.sql`, 1],
    ['a file beside it', `-- \\i x\n\n\\ir other.sql`, 3],
    ['a program of COPY', `\\copy orders from program 'touch stolen'`, 1],
    ['a file of COPY', `\\copy orders to 'stolen'`, 1],
    ['rows as statements', `SELECT 'DELETE FROM orders' \\gexec`, 1],
    ['rows as a command', `SELECT 'touch stolen' AS "é😀" \\g | sh`, 1],
    ['a variable', `\\setenv PAGER 'touch stolen'\nSELECT 1`, 1],
    ['output', `SELECT 1;\n\\o | cat > stolen\nSELECT 2`, 2],
    ['another connection', `\\c "host=127.0.0.1"`, 1],
    ['a separator', `SELECT 1\\; SELECT 2;`, 1],
    ["a command's result", 'SELECT 1;\n\\echo `touch stolen`', 2],
    ['the data of COPY', `COPY orders FROM stdin;\n\\.\n`, 2],
  ] as const) {
    test(`obeys no command for ${what}`, async () => {
      const { code, stdout, stderr } = await run({
        'x.sql': script,
        'y.sql': 'DELETE FROM orders',
      });
      assert.equal([code, stdout], [1, '']);
      assert.match(stderr, `x.sql:${line}: syntax error at or near "\\`);
      assert.match(stderr, /\n {2}statement \d: [^\n]*\\/);
      assert.match(stderr, 'hint: A script is SQL alone: commands of psql');
      assert.is(await changes(), 0);
      assert.not.ok((await readdir(shell.folder)).includes('stolen'));
    });
  }

  test('does all of a script or nothing, and nothing behind one that fails', async () => {
    const { code, stderr } = await run({
      '1.sql': `UPDATE products SET price = 11 WHERE sku = 'MUG-01'`,
      '2.sql': `UPDATE orders SET note = 'x';\nUPDATE nowhere SET a = 1;`,
      '3.sql': 'DELETE FROM order_items',
    });
    assert.is(code, 1);
    assert.match(stderr, 'error: 2.sql:2: relation "nowhere" does not exist');
    assert.is(await changes(), 1);
  });

  test('says which statement failed where the server names no line', async () => {
    const { code, stderr } = await run({
      '1.sql': `UPDATE orders SET note = 'x;';\n\nSELECT 1;;\n-- the one;\nINSERT INTO orders\n  (id) VALUES (1);\nSELECT 2`,
    });
    assert.is(code, 1);
    assert.match(
      stderr,
      /^error: 1\.sql:5: null value in column .+\n {2}statement 3: INSERT INTO orders \(id\) VALUES \(1\)\n {2}Failing row/,
    );
  });

  test('says where a statement stands that is refused, also as JSON', async () => {
    const script = {
      '1.sql': `SELECT '😀';\n/* a /* b; */ c; */\nUPDATE orders SET note = $a$;$a$; DO $$ BEGIN EXECUTE version(); END $$`,
    };
    const { code, stderr } = await run(script);
    assert.is(code, 1);
    assert.match(
      stderr,
      /^error: 1\.sql:3: DO cannot be staged: .+\n {2}statement 3: DO \$\$ BEGIN EXECUTE version\(\); END \$\$\nhint: /,
    );
    assert.match(
      (await run({ '1.sql': 'SELECT 1;\nSELECT a FROM nowhere' })).stderr,
      /^error: 1\.sql:2: .+\n {2}statement 2: SELECT a FROM nowhere\n/,
    );
    const json = await run(script, '--json');
    assert.is(json.code, 1);
    const { error, file, line, statement, text, sqlstate } = JSON.parse(json.stderr);
    assert.equal(
      [error, file, line, statement, text, sqlstate],
      ['invalid_request', '1.sql', 3, 3, 'DO $$ BEGIN EXECUTE version(); END $$', '0A000'],
    );
    assert.is(await changes(), 0);
  });

  test('takes a dump with the lines that pg_dump writes for psql alone', async () => {
    const sql = (key: string) =>
      `--\n-- PostgreSQL database dump\n--\n\n\\restrict k3Y\n\nUPDATE orders SET note = '\n\\unrestrict k3Y\n' WHERE id = 1;\n\n\\unrestrict ${key}\n\n`;
    assert.match((await run({ '1.sql': sql('other') })).stderr, /^error: 1\.sql:5: syntax error/);
    assert.is(await changes(), 0);
    assert.equal(await run({ '1.sql': sql('k3Y') }), { code: 0, stdout: '', stderr: '' });
    assert.is(await changes(), 1);
  });

  test('waits for no data', async () => {
    const { code } = await run({ '1.sql': 'COPY orders FROM stdin' });
    assert.is(code, 1);
    assert.is(await changes(), 0);
  });

  test('takes nothing that is no text, and runs none of the others then', async () => {
    for (const bytes of [Buffer.from('SELECT 1\0; DELETE'), Buffer.from([0x53, 0xff])]) {
      const { code, stderr } = await run({ '1.sql': 'DELETE FROM order_items', '2.sql': bytes });
      assert.is(code, 1);
      assert.match(stderr, 'error: 2.sql is not a text in UTF-8');
    }
    assert.is((await run({}, 'absent.sql')).code, 64);
    assert.is((await run({}, '.')).code, 64);
    assert.is((await run({})).code, 64);
    assert.is(await changes(), 0);
  });

  test('logs in as libpq would', async () => {
    const script = { '1.sql': `DO $$ BEGIN EXECUTE version(); END $$` };
    assert.match((await run(script)).stderr, /^error: 1\.sql:1: DO cannot be staged/);
    env = { ...env, PGPASSWORD: 'wrong' };
    assert.is((await run(script)).code, 4);
    env = { ...env, PGPASSWORD: daemon.database.password };
    session = `sess_${'0'.repeat(32)}`;
    assert.is((await run(script)).code, 5);
  });
});
