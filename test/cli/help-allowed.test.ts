/** The list of commands names only what the token allows. It needs no daemon. */
import { createServer } from 'node:net';
import { testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

const listed = (name: string) => new RegExp(`^ {2}${name} `, 'm');

suite('cli: help and rights', (test) => {
  const tokens = [
    testToken({ name: 'dev', role: 'author' }),
    testToken({ name: 'ann', role: 'reviewer' }),
    testToken({ name: 'op', role: 'operator' }),
  ];
  const served = serve(test, { tokens });
  const help = async (env: Record<string, string>, args: readonly string[] = ['--help']) => {
    const { code, stdout } = await served.shell.atTerminal(args, { env });
    assert.is(code, 0);
    return stdout;
  };

  test('leaves out what the token does not allow, and names it below', async () => {
    for (const args of [['--help'], ['help'], []]) {
      const author = await help({ STAGE_TOKEN: 'dev' }, args);
      assert.not.match(author, listed('approve'));
      assert.match(author, listed('propose'));
      assert.match(author, /Not for your token, whose role is author: .*approve/);
    }
    const reviewer = await help({ STAGE_TOKEN: 'ann' });
    assert.match(reviewer, listed('approve'));
    assert.not.match(reviewer, listed('propose'));
    const operator = await help({ STAGE_TOKEN: 'op' });
    // the test's daemon has no review page
    assert.match(operator, /Not for your token, whose role is operator: review-link\n/);
  });

  test('explains a command that the token does not allow', async () => {
    assert.match(await help({ STAGE_TOKEN: 'dev' }, ['approve', '--help']), /Usage: stage approve/);
    assert.match(await help({ STAGE_TOKEN: 'dev' }, ['help', 'approve']), /Usage: stage approve/);
  });

  test('lists all commands without a token, without a daemon, and for a token that is not known', async () => {
    const all = await help({});
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const dead = { STAGE_TOKEN: 'dev', STAGE_SERVER: 'http://127.0.0.1:1' };
    assert.is(await help(dead), all);
    assert.is(await help({ ...dead, STAGE_SERVER: `http://127.0.0.1:${port}` }), all);
    assert.is(await help({ ...dead, STAGE_SERVER: 'not an address' }), all);
    assert.is(await help({ STAGE_TOKEN: 'nobody' }), all);
    silent.close();
    for (const name of ['approve', 'propose', 'review-link', 'login'])
      assert.match(all, listed(name));
  });
});
