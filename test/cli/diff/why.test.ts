/** `stage diff --why`: each change names the statements that made it. */
import { assert, suite } from '../../helpers/suite.ts';
import { serve } from '../served.ts';

suite('diff --why', (test) => {
  const served = serve(test);
  let id: string;
  test.before(async () => {
    id = (await served.shell.run(['session', 'new'])).stdout.trim();
    await served.rest.write(id, `UPDATE products SET price = $1 WHERE id = 1`, ['12.00']);
    await served.rest.write(id, `UPDATE products\n  SET stock = 1, name = E'\\u202e' WHERE id = 1`);
    await served.rest.write(id, 'DELETE FROM customers WHERE id = 2');
  });

  const run = (...args: string[]) => served.shell.run(['diff', id, '--why', ...args]);

  test('names statements, the role, and the foreign key that carried one', async () => {
    const { code, stdout } = await run();
    assert.is(code, 0);
    const lines = stdout.split('\n').map((line) => line.replace(/mut_\d+ by \w+/, 'MUT'));
    const below = (row: RegExp) => lines.slice(lines.findIndex((line) => row.test(line)) + 1);
    assert.equal(below(/^ {2}~ 1 /).slice(0, 2), [
      '      MUT: UPDATE products SET price = $1 WHERE id = 1',
      "      MUT: UPDATE products SET stock = 1, name = E'\\u202e' WHERE id = 1",
    ]);
    assert.is(below(/^customers/)[1], '      MUT: DELETE FROM customers WHERE id = 2');
    const carried = '      MUT through orders_customer_id_fkey: DELETE FROM customers WHERE id = 2';
    assert.is(below(/^orders/)[1], carried);
    assert.is(stdout.match(/through order_items_order_id_fkey/g)?.length, 2);
  });

  test('gives what REST says as JSON lines, of one table if asked', async () => {
    const { stdout } = await run('-o', 'jsonl', '--table', 'orders');
    const [change, end, ...rest] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal([rest.length, change.table, change.type], [0, 'orders', 'DELETE']);
    assert.equal([end.end, end.changes], [true, 1]);
    assert.match((await run()).stdout, `\ndigest ${end.digest}\n`);
    assert.equal(change.why[0].foreign_keys, ['orders_customer_id_fkey']);
    const none = (await run('--filter', 'insert', '-o', 'jsonl')).stdout;
    assert.equal(JSON.parse(none), { end: true, changes: 0, digest: end.digest });
  });

  test('is not mixed with forms and choices that have no place for it', async () => {
    for (const options of [['--limit', '1'], ['--where', 'id = 1'], ['-o', 'csv'], ['--json']])
      assert.is((await run(...options)).code, 64, options.join(' '));
    assert.is((await run('--exit-code')).code, 2);
  });
});
