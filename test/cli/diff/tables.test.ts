/** Tables by name: as SQL writes them, in the order of their columns, and no missing ones. */
import { assert, suite } from '../../helpers/suite.ts';
import { serve } from '../served.ts';

suite('tables of a diff', (test) => {
  const served = serve(test);
  let id = '';
  test.before(async () => {
    const { rest } = served;
    await rest.database.query(
      `CREATE TABLE "Mixed Case" (zeta int PRIMARY KEY, b text, aa text); CREATE TABLE "a.b" (id int PRIMARY KEY)`,
    );
    id = await rest.newSession();
    await rest.write(id, `INSERT INTO "Mixed Case" VALUES (1, 'x', 'y')`);
    await rest.write(id, `INSERT INTO "a.b" VALUES (7)`);
  });

  for (const [written, found] of [
    ['Mixed Case', '"Mixed Case"'],
    ['"Mixed Case"', '"Mixed Case"'],
    ['public."Mixed Case"', '"Mixed Case"'],
    ['"a.b"', '"a.b"'],
    ['public."a.b"', '"a.b"'],
  ] as const) {
    test(`are found by ${written}`, async () => {
      const { code, stdout } = await served.shell.run(['diff', id, '--table', written]);
      assert.is(code, 0);
      assert.is(stdout.split('\n')[0], found);
    });
  }

  test('that do not exist are an error that names the nearest, in every form', async () => {
    for (const form of [
      [],
      ['--json'],
      ['-o', 'csv'],
      ['-o', 'sql'],
      ['-o', 'html'],
      ['--stat'],
      ['--steps'],
    ]) {
      const outcome = await served.shell.run(['diff', id, '--table', 'custmers', ...form]);
      assert.is(outcome.code, 64, form.join(' '));
      assert.match(outcome.stderr, 'there is no table custmers');
      assert.match(outcome.stderr, 'Did you mean customers?');
    }
  });

  test('that are like no other are an error that names none', async () => {
    const { code, stderr } = await served.shell.run(['diff', id, '--table', 'wxyz']);
    assert.is(code, 64);
    assert.match(stderr, 'there is no table wxyz');
    assert.not.match(stderr, 'Did you mean');
  });

  test('without changes are no error', async () => {
    const { code, stdout } = await served.shell.run(['diff', id, '--table', 'customers']);
    assert.equal([code, stdout], [0, 'No changes.\n']);
  });

  test('have their columns in order in every form', async () => {
    const form = async (...args: string[]) => {
      const all = ['diff', id, '--table', 'Mixed Case', ...args];
      return (await served.shell.run(all)).stdout;
    };
    assert.match(await form(), '  + 1  zeta: 1  b: x  aa: y\n');
    assert.match(await form('--mode', 'stacked'), / zeta {2}1\n {6}b {5}x\n {6}aa {4}y\n/);
    assert.match(await form('-o', 'csv'), /,zeta,,1\n.*,b,,x\n.*,aa,,y\n/);
    assert.match(await form('-o', 'sql'), '("zeta", "b", "aa")');
    assert.match(await form('-o', 'markdown'), /zeta.*<br>.*<code>b<.*<br>.*aa/);
    assert.match(await form('-o', 'html'), /zeta: .*<div>b: .*<div>aa: /);
    assert.match(await form('-o', 'html'), /<p>Made .*at 20[^<]*Z, active\.<\/p>/);
    const columns = JSON.parse(await form('--json')).tables['Mixed Case'].columns;
    assert.equal(columns[0], { name: 'zeta', type: 'integer', generated: false });
  });
});
