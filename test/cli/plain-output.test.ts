/** The output formats of the commands that show data, in a pipe and in a terminal. */
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const withoutColours = (text: string) => text.replaceAll(/\x1b\[\d+m/g, '');

/** Replaces ages: a second may pass between two outputs. */
const ageless = (text: string) => text.replaceAll(/\b\d+ s\b/g, '<age>');

suite('plain output', (test) => {
  const served = serve(test);
  let id: string;
  test.before(async () => {
    id = (await served.shell.run(['session', 'new'])).stdout.trim();
    await served.rest.write(id, `UPDATE orders SET note = E'new\\u202e\\nline' WHERE id = 1`);
    await served.rest.write(
      id,
      `INSERT INTO products (sku, name, price, stock) VALUES ($1, $2, 1.50, 9)`,
      ['SKU-1', ' spaced'],
    );
  });

  test('shows its counts', async () => {
    const piped = await served.shell.run(['diff', '--stat']);
    assert.match(piped.stdout, /^TABLE +INSERTS +UPDATES +DELETES\n/);
    assert.match(piped.stdout, /\norders +0 +1 +0\nproducts +1 +0 +0\n/);
    assert.match(piped.stdout, /\n1 inserted, 1 updated, 0 deleted in 2 tables\ndigest sha256:/);
    const summary = await served.shell.run(['diff', '--summary']);
    assert.ok(piped.stdout.endsWith(summary.stdout));
    assert.is(summary.stdout.split('\n').length, 3);
    const csv = await served.shell.run(['diff', '--stat', '-o', 'csv']);
    assert.is(csv.stdout, 'table,inserts,updates,deletes\norders,0,1,0\nproducts,1,0,0\n');
    assert.is((await served.shell.run(['diff', '--name-only'])).stdout, 'orders\nproducts\n');
    const { text } = await served.rest.call('GET', `/sessions/${id}/diff?limit=0`);
    for (const detail of ['--stat', '--summary', '--name-only'])
      assert.is((await served.shell.run(['diff', detail, '--json'])).stdout, `${text}\n`);
  });

  test('shows chosen changes', async () => {
    const part = await served.shell.run(['diff', '--filter', 'updates']);
    assert.match(
      part.stdout,
      /^orders\n {2}~ 1 .*\n[^+]*\n1 of 2 changes shown\n1 inserted, 1 upd/,
    );
    const where = await served.shell.run(['diff', '--where', "to_sku like 'SKU-%'", '-o', 'jsonl']);
    const [line = '', end = '', ...rest] = where.stdout.split('\n');
    assert.equal([JSON.parse(line).table, rest], ['products', ['']]);
    const { digest } = JSON.parse((await served.shell.run(['diff', '--json'])).stdout);
    assert.equal(JSON.parse(end), { end: true, changes: 1, digest });
    const one = await served.shell.run(['diff', '--limit', '1', '-o', 'csv']);
    assert.match(one.stdout, /\n,end,,,1,(?:sha256:[0-9a-f]{64})?\n$/);
    const first = await served.shell.run(['diff', '--limit', '1', '--json']);
    assert.equal(Object.keys(JSON.parse(first.stdout).tables), ['orders']);
    const none = await served.shell.run(['diff', '--filter', 'delete', '--exit-code']);
    assert.equal([none.code, none.stdout.split('\n')[0]], [0, '0 of 2 changes shown']);
    const wrong = await served.shell.run(['diff', '--where', 'skuu is null']);
    assert.is(wrong.code, 64);
    assert.match(wrong.stderr, /Did you mean sku\?/);
  });

  test('is the same in a pipe as in a terminal whose colours are taken away', async () => {
    const forms = [
      ...['text', 'json', 'jsonl', 'csv', 'sql', 'markdown'].map((form) => [
        'diff',
        id,
        '-o',
        form,
      ]),
      ...['context', 'stacked', 'side-by-side'].map((mode) => ['diff', id, '--mode', mode]),
      ...['--stat', '--summary', '--name-only'].map((detail) => ['diff', id, detail]),
      ...['table', 'tsv', 'json', 'jsonl', 'csv', 'markdown'].flatMap((form) => [
        ['log', id, '-o', form],
        ['session', 'list', '-o', form],
        ['check', id, '-o', form],
        ['audit', 'list', '-o', form],
      ]),
      ...[
        ['session', 'show', id, '--json'],
        ['status', '--json'],
      ],
    ];
    await served.rest.database.query(`UPDATE orders SET note = 'meanwhile' WHERE id = 1`);
    for (const form of forms) {
      const piped = await served.shell.run(form);
      const seen = await served.shell.atTerminal(form, { env: { CI: '1' } });
      assert.is(ageless(withoutColours(seen.stdout)), ageless(piped.stdout), form.join(' '));
      assert.ok(piped.stdout.length > 0 || form[0] === 'audit', form.join(' '));
      assert.not.match(piped.stdout, /[^\P{C}\n\t]|\u202e/u);
    }
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
  });

  test('gives the body of the diff with --json', async () => {
    const { text } = await served.rest.call('GET', `/sessions/${id}/diff`);
    const { stdout } = await served.shell.run(['diff', '--json']);
    assert.is(stdout, `${text.replaceAll('\u202e', '\\u202e')}\n`);
    assert.equal(JSON.parse(stdout), JSON.parse(text));
  });

  test('goes on over the pages of a list', async () => {
    for (let count = 0; count < 4; count += 1)
      await served.rest.write(id, 'UPDATE orders SET note = note || $1 WHERE id = 1', ['.']);
    const whole = await served.shell.run(['log', '--all', '--json']);
    assert.is(
      whole.stdout,
      `${(await served.rest.call('GET', `/sessions/${id}/mutations`)).text}\n`,
    );
    const some = await served.shell.run(['log', '--limit', '2', '--offset', '1', '-o', 'jsonl']);
    assert.equal(
      some.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      JSON.parse(whole.stdout).mutations.slice(1, 3),
    );
    const clash = await served.shell.run(['log', '--json', '-o', 'csv']);
    assert.equal([clash.code, JSON.parse(clash.stderr).error], [64, 'usage']);
  });
});
