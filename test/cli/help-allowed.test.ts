/** The list of commands names only what the token allows. It needs no daemon. */
import { createServer } from 'node:net';
import { commandGroups } from '../../src/cli/command-groups.ts';
import { policyCommand } from '../../src/cli/commands/reviewing/policy.ts';
import { sessionCommand } from '../../src/cli/commands/session/session.ts';
import { testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

const namesOf = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name);
const listed = (name: string) => new RegExp(`^ {2}${name} `, 'm');

suite('cli: help and rights', (test) => {
  const tokens = [
    testToken({ name: 'dev', role: 'author' }),
    testToken({ name: 'ann', role: 'reviewer' }),
    testToken({ name: 'op', role: 'operator' }),
    testToken({ name: 'bot', role: 'agent' }),
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

  const groups = {
    '': commandGroups.flatMap(({ entries }) => entries),
    session: sessionCommand.commands ?? [],
    policy: policyCommand.commands ?? [],
  };
  for (const { name: token, role } of tokens) {
    test(`lists to the role ${role} what GET /whoami names, in groups of commands, too`, async () => {
      const sent = { headers: { authorization: `Bearer ${token}` } };
      const { body } = await served.rest.call('GET', '/whoami', sent);
      const isAllowed = (operation?: string) =>
        operation === undefined || body.operations.includes(operation);
      for (const [group, entries] of Object.entries(groups)) {
        const line = group === '' ? [] : [group];
        const shown = await help({ STAGE_TOKEN: token }, [...line, '--help']);
        const seen = entries.filter(({ name }) => listed(name).test(shown));
        const allowed = entries.filter((each) => !each.hidden && isAllowed(each.operation));
        assert.equal(namesOf(seen), namesOf(allowed), `${role}: ${group}`);
      }
    });
  }

  test('lists the same when a group is asked for by help', async () => {
    const shown = await help({ STAGE_TOKEN: 'ann' }, ['session', '--help']);
    assert.not.match(shown, listed('new'));
    assert.is(await help({ STAGE_TOKEN: 'ann' }, ['help', 'session']), shown);
  });

  test('every operation that a command names exists', async () => {
    const { body } = await served.rest.call('GET', '/openapi.json', {
      headers: { authorization: 'Bearer op' },
    });
    const paths = Object.values<Record<string, { operationId: string }>>(body.paths);
    const known = paths.flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    for (const { name, operation } of Object.values(groups).flat())
      if (operation !== undefined) assert.ok(known.includes(operation), `${name}: ${operation}`);
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
