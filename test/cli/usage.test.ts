/** Help and wrong usage: the command line before it connects to anything. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

suite('command line usage', (test) => {
  let shell: Shell;
  test.before(async () => {
    shell = await createShell();
  });
  test.after(() => shell.clear());

  test('shows examples before everything else in its help', async () => {
    const { code, stdout, stderr } = await shell.spawn(['--help']);
    assert.is(code, 0);
    assert.is(stderr, '');
    assert.match(stdout, /^Examples:\n {2}stage serve/);
    assert.match(stdout, /stage help exit-codes/);
  });

  test('asks nobody but commander for help', async () => {
    const env = {
      NODE_OPTIONS: `--import=${pathToFileURL(resolve('test/cli/report-packages.mjs')).href}`,
    };
    const { stderr } = await shell.spawn(['--help'], { env });
    assert.is(stderr, 'commander\n');
  });

  test('explains itself when nothing is asked', async () => {
    const bare = await shell.run([]);
    assert.is(bare.code, 0);
    assert.is(bare.stdout, (await shell.run(['--help'])).stdout);
  });

  const commands = [
    'serve',
    'init',
    'status',
    'session new',
    'session list',
    'session show',
    'session use',
    'session delete',
    'url',
    'psql',
    'run',
    'diff',
    'log',
    'watch',
    'wait',
    'completion',
    'propose',
    'check',
    'approve',
    'reject',
    'audit list',
    'audit show',
    'audit verify',
    'help',
    'version',
  ];
  for (const command of commands) {
    test(`explains ${command} with examples`, async () => {
      const { code, stdout } = await shell.atTerminal([...command.split(' '), '--help']);
      assert.is(code, 0);
      assert.match(stdout, /^Examples:\n {2}\S/);
      assert.match(stdout, new RegExp(`Usage: stage ${command}`));
      assert.is((await shell.atTerminal(['help', ...command.split(' ')])).stdout, stdout);
    });
  }

  test('lists every exit code', async () => {
    const { code, stdout } = await shell.atTerminal(['help', 'exit-codes']);
    assert.is(code, 0);
    for (const exit of [0, 1, 2, 3, 4, 5, 6, 7, 8, 64, 130]) {
      assert.match(stdout, new RegExp(`^ +${exit} {3}`, 'm'));
    }
  });

  for (const topic of ['environment', 'output', 'connecting']) {
    test(`explains ${topic}`, async () => {
      const { code, stdout } = await shell.atTerminal(['help', topic]);
      assert.is(code, 0);
      assert.match(stdout, /STAGE_SERVER|service_session|-o markdown/);
    });
  }

  test('never shows a value of the environment in its help', async () => {
    const { stdout } = await shell.run(['serve', '--help'], {
      env: { STAGE_TOKEN: 'planted-secret', STAGE_UPSTREAM: 'postgresql://u:planted-secret@h/d' },
    });
    assert.not.match(stdout, /planted-secret/);
  });

  test('prints its version', async () => {
    const { code, stdout } = await shell.spawn(['--version']);
    assert.is(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  const mistakes: [string, string[], RegExp][] = [
    ['an unknown command', ['dif'], /error: unknown command 'dif'\nhint: Did you mean diff\?\n/],
    [
      'an unknown option',
      ['diff', '--jsn'],
      /error: unknown option '--jsn'\nhint: Did you mean --json\?\n/,
    ],
    ['an unknown subcommand', ['session', 'nwe'], /unknown command 'nwe'/],
    ['a missing subcommand', ['audit'], /not a whole command/],
    ['a missing argument', ['audit', 'show'], /missing required argument 'entry'/],
    ['too many arguments', ['diff', 'a', 'b'], /too many arguments/],
    ['a wrong choice', ['url', '--format', 'xml'], /Allowed choices are url/],
    ['a wrong number', ['log', '--limit', 'ten'], /whole number/],
    ['a wrong kind of write', ['log', '--type', 'merge'], /insert, update or delete/],
    [
      'metadata without a value',
      ['session', 'new', '--metadata', 'ticket'],
      /not of the form name=value/,
    ],
    ['two sessions for psql', ['psql', 'a', 'b', '--', '-c', 'x'], /one session, not also "b"/],
    ['an unknown topic', ['help', 'colours'], /no help on "colours"/],
    ['an address that is none', ['status', '--server', 'localhost:8080'], /--server must be/],
    ['a password in an address', ['status', '--server', 'http://a:b@localhost'], /must not hold/],
  ];
  for (const [name, args, message] of mistakes) {
    test(`refuses ${name} with 64`, async () => {
      const { code, stdout, stderr } = await shell.atTerminal([...args, '--no-color']);
      assert.is(code, 64);
      assert.is(stdout, '');
      assert.match(stderr, message);
    });
  }

  test('reports wrong usage as one JSON object with --json', async () => {
    const { code, stdout, stderr } = await shell.run(['dif', '--json']);
    assert.is(code, 64);
    assert.is(stdout, '');
    const { error, hint } = JSON.parse(stderr);
    assert.equal([error, hint], ['usage', 'Did you mean diff?']);
  });

  for (const args of [['approve'], ['reject'], ['session', 'delete']]) {
    test(`does not ${args.join(' ')} unasked in a script`, async () => {
      const { code, stderr } = await shell.run([...args, `sess_${'0'.repeat(32)}`]);
      assert.is(code, 64);
      assert.match(stderr, /--yes/);
    });
  }
});
