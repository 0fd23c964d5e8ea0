/** Every row of `stage help exit-codes`, with the real program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { topics } from '../../src/cli/topics.ts';
import type { TestRest } from '../helpers/rest.ts';
import { testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { serve } from './served.ts';
import type { Outcome } from './stage.ts';
import { stageCommand } from './stage.ts';

const nobody = `sess_${'0'.repeat(32)}`;

/** A session in some state, on a daemon that requires a token. */
interface Scene {
  readonly rest: TestRest;
  readonly session: string;
}

interface Row {
  readonly code: number;
  readonly when: string;
  /** Brings about the state. Returns the arguments to run. */
  readonly args: (scene: Scene) => string[] | Promise<string[]>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Transactions of production; each ends with its test. */
const holders: pg.Client[] = [];

const rows: readonly Row[] = [
  { code: 0, when: 'it is done', args: ({ session }) => ['propose', session] },
  { code: 0, when: 'there are changes and nobody asked', args: ({ session }) => ['diff', session] },
  { code: 0, when: 'a list is empty', args: () => ['audit', 'list', '--project', 'none'] },
  {
    code: 1,
    when: 'the record was changed',
    args: async ({ rest, session }) => {
      await post(rest, session, 'propose');
      await post(rest, session, 'approve');
      await rest.database.query('ALTER TABLE stage.audit DISABLE TRIGGER ALL');
      await rest.database.query(`UPDATE stage.audit SET table_name = 'forged'`);
      return ['audit', 'verify'];
    },
  },
  {
    code: 2,
    when: 'there are changes and it was asked',
    args: ({ session }) => ['diff', session, '--exit-code'],
  },
  {
    code: 3,
    when: 'production has moved',
    args: async ({ rest, session }) => {
      await rest.database.query(`UPDATE orders SET note = 'meanwhile' WHERE id = 1`);
      await post(rest, session, 'propose');
      return ['approve', session, '--yes'];
    },
  },
  {
    code: 3,
    when: 'a check finds that it has moved',
    args: async ({ rest, session }) => {
      await rest.database.query(`UPDATE orders SET note = 'moved' WHERE id = 1`);
      return ['check', session];
    },
  },
  {
    code: 3,
    when: 'the diff is not the reviewed one',
    args: async ({ rest, session }) => {
      await post(rest, session, 'propose');
      return ['approve', session, '--yes', '--digest', `sha256:${'0'.repeat(64)}`];
    },
  },
  {
    code: 4,
    when: 'the token is wrong',
    args: () => ['session', 'list'],
    env: { STAGE_TOKEN: 'wrong' },
  },
  { code: 5, when: 'there is no such session', args: () => ['diff', nobody] },
  { code: 5, when: 'there is no such audit entry', args: () => ['audit', 'show', 'aud_999'] },
  {
    code: 6,
    when: 'the state does not allow it',
    args: ({ session }) => ['approve', session, '--yes'],
  },
  {
    code: 6,
    when: 'others hold the rows in production',
    args: async ({ rest, session }) => {
      await post(rest, session, 'propose');
      const holder = new pg.Client({ connectionString: rest.database.url });
      holders.push(holder);
      await holder.connect();
      await holder.query('BEGIN; UPDATE orders SET note = note WHERE id = 1');
      return ['approve', session, '--yes'];
    },
  },
  {
    code: 6,
    when: 'what is waited for can no longer happen',
    args: async ({ rest, session }) => {
      await post(rest, session, 'propose');
      await post(rest, session, 'reject');
      return ['wait', session];
    },
  },
  { code: 7, when: 'nobody answers', args: () => ['status', '--server', 'http://127.0.0.1:1'] },
  {
    code: 8,
    when: 'a wait has run out',
    args: ({ session }) => ['wait', session, '--timeout', '0'],
  },
  { code: 64, when: 'the usage is wrong', args: () => ['diff', '--no-such-option'] },
  { code: 64, when: 'the configuration is wrong', args: () => ['status', '--server', 'nowhere'] },
  { code: 64, when: 'a script is not there', args: () => ['run', 'nowhere.sql'] },
  { code: 64, when: 'nobody can be asked', args: ({ session }) => ['approve', session] },
];

async function post(rest: TestRest, session: string, verb: string): Promise<void> {
  const headers = { authorization: 'Bearer secret' };
  const { status } = await rest.call('POST', `/sessions/${session}/${verb}`, { json: {}, headers });
  assert.is(status, 200);
}

suite('exit codes', (test) => {
  const served = serve(test, {
    tokens: [testToken({ secret: 'secret' })],
    approveLockTimeoutMs: 200,
  });
  let session: string;
  test.afterEach(async () => {
    for (const holder of holders.splice(0)) await holder.end();
  });
  test.beforeEach(async () => {
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
    const { stdout } = await served.shell.run(['session', 'new'], {
      env: { STAGE_TOKEN: 'secret' },
    });
    session = stdout.trim();
    await served.rest.write(session, `UPDATE orders SET note = 'x' WHERE id = 1`);
  });

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const options = {
      cwd: served.shell.folder,
      env: { ...served.shell.env, STAGE_TOKEN: 'secret', ...env },
    };
    const child = spawn(process.execPath, [...stageCommand, ...args], options);
    child.stdin.end();
    const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
    const outcome = ended.then(([[code], stdout, stderr]): Outcome => ({ code, stdout, stderr }));
    return { child, outcome };
  }

  for (const { code, when, args, env } of rows) {
    test(`${code} when ${when}`, async () => {
      const outcome = await start(await args({ rest: served.rest, session }), env).outcome;
      assert.is(outcome.code, code, outcome.stderr);
      if (code > 2 && outcome.stdout === '')
        assert.match(outcome.stderr, /^error: [\s\S]*\nhint: .*(?:stage |--|Did you mean).*\n$/);
      assert.not.match(outcome.stderr, 'Next: stage --help');
    });
  }

  test('advice that is complete is not followed by the way to the help', async () => {
    const digest = ['--digest', 'sha256:00'];
    const { stderr } = await start(['approve', session, '--yes', ...digest]).outcome;
    assert.match(stderr, /\nhint: \S.*\n$/);
    assert.not.match(stderr, 'Next:');
  });

  test('130 when it is interrupted', async () => {
    const { child, outcome } = start(['wait', session, '--interval', '20ms']);
    await until(() => served.rest.logged.some((line) => line.includes(`/sessions/${session}"`)));
    child.kill('SIGINT');
    assert.equal(await outcome, { code: 130, stdout: '', stderr: '' });
  });

  test('are all those that are documented', () => {
    const documented = [...(topics['exit-codes']?.text ?? '').matchAll(/^ +(\d+) {3}/gm)].map(
      ([, code]) => Number(code),
    );
    const tested = new Set([...rows.map(({ code }) => code), 130]);
    assert.equal(
      [...tested].sort((a, b) => a - b),
      documented,
    );
  });
});
