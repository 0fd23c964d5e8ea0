/** `stage reopen`, `stage comment` and `stage comments`: the discussion of a session. */
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { serve } from './served.ts';

suite('cli: discussion', (test) => {
  const served = serve(test);
  const run = (...args: string[]) => served.shell.run(args);
  const proposed = async () => {
    const id = await served.rest.newSession();
    await served.rest.write(id, 'UPDATE products SET stock = stock + 1 WHERE id = 1');
    assert.is((await run('propose', id, '-m', 'for the sale')).code, 0);
    return id;
  };

  test('reopen gives a session back with a message, which comments show', async () => {
    const id = await proposed();
    const { code, stdout } = await run('reopen', id, '-m', 'only\u202e mugs');
    assert.equal([code, stdout], [0, `${id}\tactive\n`]);
    const lines = (await run('comments', id)).stdout.split('\n');
    assert.match(String(lines[0]), /\tproposed\t\tfor the sale$/);
    assert.match(String(lines[1]), /\tchanges_requested\t\tonly\\u202e mugs$/);
    const again = await run('reopen', id, '-m', 'x');
    assert.is(again.code, 6);
    assert.match(again.stderr, /cannot reopen session \S+: it is active/);
    assert.is((await run('reopen', id)).code, 64);
  });

  test('comment takes its words from the command line or from stdin, and may name a row', async () => {
    const id = await served.rest.newSession();
    const said = await run('comment', id, '--table', 'products', '--row', '3', '-m', 'this?');
    assert.match(said.stdout, /^cmt_\d+\n$/);
    assert.is(
      (await run('comment', id, '--table', 'order_items', '--row', '{"order_id": 1}', '-m', 'b'))
        .code,
      0,
    );
    const piped = await served.shell.spawn(['comment', id], { input: 'from a pipe\n' });
    assert.is(piped.code, 0);
    const rows = (await run('comments', id)).stdout.trimEnd().split('\n');
    assert.equal(
      rows.map((row) => row.split('\t').slice(3)),
      [
        ['comment', 'products 3', 'this?'],
        ['comment', 'order_items order_id=1', 'b'],
        ['comment', '', 'from a pipe'],
      ],
    );
    const { comments } = JSON.parse((await run('comments', id, '--json')).stdout);
    assert.is(comments[0].row_id, 3);
    assert.is((await run('comment', id, '--row', '3', '-m', 'x')).code, 64);
    assert.is((await run('comment', id, '-m', '')).code, 1);
  });

  test('wait ends when changes are asked for', async () => {
    const id = await proposed();
    const looks = () =>
      served.rest.logged.filter((line) => line.includes(`"GET"`) && line.includes(id));
    const before = looks().length;
    const waiting = run('wait', id, '--interval', '50ms');
    await until(() => looks().length > before);
    await run('reopen', id, '-m', 'again');
    const { code, stderr } = await waiting;
    assert.is(code, 6);
    assert.match(stderr, /was reopened.*\n.*stage comments/);
    assert.is((await run('wait', id, '--timeout', '1ms')).code, 8);
  });
});
