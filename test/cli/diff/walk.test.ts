/** `stage diff --patch` at a terminal. */
import { assert, suite } from '../../helpers/suite.ts';
import { serve } from '../served.ts';

suite('diff --patch', (test) => {
  const served = serve(test);
  let id: string;
  test.beforeEach(async () => {
    id = await served.rest.newSession();
    await served.rest.write(id, `UPDATE orders SET note = 'note ' || id WHERE id <= 4`);
    await served.rest.write(id, `UPDATE products SET stock = 77 WHERE sku = 'MUG-01'`);
  });

  const walk = (answers: readonly string[], ...options: string[]) =>
    served.shell.atTerminal(['diff', id, '--patch', '--no-color', ...options], {
      input: answers.map((answer) => `${answer}\n`).join(''),
    });

  test('shows one change after the other, and sums up', async () => {
    const { code, stdout } = await walk(['y', 'n', 'y', 'y', 'y']);
    assert.is(code, 0);
    assert.match(stdout, /^orders\n {2}~ 1\n {6}note {2}NULL → note 1\n {2}~ 2\n/);
    assert.match(
      stdout,
      /products\n {2}~ 1\n {6}stock .* → 77\n4 reviewed, 1 flagged\n {2}! orders 2\n$/,
    );
  });

  test('asks no more about what was reviewed, unless it has changed since', async () => {
    assert.match((await walk(['y', 'y', 'q'])).stdout, /2 reviewed, 0 flagged\n$/);
    await served.rest.write(id, `UPDATE orders SET note = 'other' WHERE id = 2`);
    const { stdout } = await walk(['q']);
    assert.match(stdout, /^orders\n {2}~ 2\n {6}note {2}.* → other\n0 reviewed, 0 flagged\n$/);
  });

  test('takes a whole table, a text to go on to, and the end of input', async () => {
    const { stdout } = await walk(['/note 3', 'a', '\u0004']);
    assert.match(stdout, /^orders\n {2}~ 1\n.*\n {2}~ 3\n.*\nproducts\n {2}~ 1\n.*\n2 reviewed/);
  });

  test('narrows to a table, and explains itself', async () => {
    const { stdout, stderr } = await walk(['?', 'y'], '--table', 'products');
    assert.match(stdout, /^products\n[\s\S]*\n1 reviewed/);
    assert.match(stderr, /^a {2}this one and the rest of this table/m);
  });

  test('needs somebody to ask', async () => {
    const { code, stderr } = await served.shell.run(['diff', id, '--patch']);
    assert.is(code, 64);
    assert.match(stderr, /stage diff/);
  });
});
