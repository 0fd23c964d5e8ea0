/** `stage diff` of a session without net changes: what is counted, and shown step by step. */
import { assert, suite } from '../../helpers/suite.ts';
import { serve } from '../served.ts';

suite('diff --steps', (test) => {
  const served = serve(test);
  let id: string;
  test.before(async () => {
    id = (await served.shell.run(['session', 'new'])).stdout.trim();
    await served.rest.write(id, `UPDATE orders SET note = E'a\\u202eb' WHERE id = 1`);
    await served.rest.write(id, `UPDATE orders SET note = NULL WHERE id = 1`);
  });

  const run = (...args: string[]) => served.shell.run(['diff', ...args]);

  test('shows each of them, in order', async () => {
    const { stdout } = await run('--steps');
    const [heading, ...steps] = stdout.split('\n');
    assert.is(heading, 'orders');
    assert.match(steps[0] ?? '', /^ {2}~ 1 {2}note: NULL → E'a\\u202eb'$/);
    assert.match(steps[1] ?? '', /^ {2}~ 1 {2}note: E'a\\u202eb' → NULL$/);
    assert.match(steps[2] ?? '', /^digest sha256:[0-9a-f]{64}$/);
    const lines = (await run('--steps', '-o', 'jsonl')).stdout.trim().split('\n');
    const { steps: all, digest } = JSON.parse((await run('--steps', '--json')).stdout);
    assert.equal(
      lines.map((line) => JSON.parse(line)),
      [...all, { end: true, changes: all.length, digest }],
    );
    assert.is((await run('--steps', '--filter', 'insert')).stdout.split('\n')[0], 'No changes.');
  });

  test('is not mixed with what chooses among net changes', async () => {
    for (const options of [
      ['--limit', '1'],
      ['--where', 'id = 1'],
      ['-o', 'csv'],
    ])
      assert.is((await run('--steps', ...options)).code, 64, options.join(' '));
  });

  test('counts them where no step is shown, and ends as with changes', async () => {
    const shown = await run('--exit-code');
    assert.is(shown.code, 2);
    assert.match(shown.stdout, /^orders\n {2}2 further changes, net 0\n/);
    const stat = await run('--stat');
    assert.match(stat.stdout, /^TABLE .*FURTHER_CHANGES\norders +0 +0 +0 +2\n/);
    assert.is((await run('--name-only')).stdout, 'orders\n');
    const csv = await run('-o', 'csv', '--exit-code');
    assert.is(csv.code, 2);
    assert.match(csv.stderr, /2 further changes that this form does not show/);
    assert.is((await run('--filter', 'update', '--exit-code')).code, 0);
  });
});
