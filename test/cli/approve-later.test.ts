/** `stage approve --at` and `--break-glass`: the question says what happens, and the answer that nothing has happened yet. */
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

suite('approvals for later on the command line', (test) => {
  const served = serve(test);
  let id: string;
  test.beforeEach(async () => {
    id = (await served.shell.run(['session', 'new'])).stdout.trim();
    await served.rest.write(id, `UPDATE orders SET note = 'later' WHERE id = 1`);
    await served.shell.run(['propose']);
  });

  test('the question says when it is applied, and that it goes past the policy', async () => {
    const asked = async (...options: string[]) =>
      (await served.shell.atTerminal(['approve', ...options], { input: 'no\n' })).stderr;
    const time = '2999-01-31T02:00:00Z';
    assert.match(await asked('--at', time), /Apply to production at 2999-01-31T02:00:00Z\? Type/);
    assert.match(await asked('--at', 'window'), /as soon as the windows of the policy are open\?/);
    assert.match(await asked('--break-glass', 'fire'), /Apply to production past the policy\?/);
  });

  test('nothing is applied yet, and the session shows when and by whom', async () => {
    const time = new Date(Date.now() + 3_600_000).toISOString();
    const done = await served.shell.atTerminal(['approve', '--yes', '--at', time, '--no-color']);
    assert.is(done.code, 0);
    assert.match(done.stdout, new RegExp(`^${id} is proposed`));
    assert.match(done.stderr, /It is applied at .+Z, unless it is rejected or reopened before/);
    const { stdout } = await served.shell.run(['session', 'show']);
    assert.match(stdout, /^scheduled for\t\d{4}-.+Z$/m);
    assert.match(stdout, /^status\tproposed$/m);
    assert.not.match(stdout, /applied/);
  });
});
