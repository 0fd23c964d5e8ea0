/** `stage serve` and `stage psql`, started as users do. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Outcome, Shell } from './stage.ts';
import { createShell, stageCommand } from './stage.ts';

interface Served {
  readonly stdout: string;
  readonly url: string;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number>;
}

/** Starts `stage serve` on free ports, and waits for its messages. */
async function serve(shell: Shell, args: readonly string[]): Promise<Served> {
  const ports = ['--port', '0', '--proxy-port', '0', '--log-level', 'error'];
  const child: ChildProcess = spawn(
    process.execPath,
    [...stageCommand, 'serve', ...ports, ...args],
    {
      cwd: shell.folder,
      env: shell.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'close') as Promise<[number]>;
  let stdout = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk;
      if (stdout.endsWith('\n\n') && stdout.includes('Then:')) resolve();
    });
    ended.then(() => reject(new Error(`serve ended early: ${stdout}`)), reject);
  });
  const stop = async () => {
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  return { stdout, url: /REST +(\S+)/.exec(stdout)?.[1] ?? '', stop };
}

suite('stage serve and psql', (test) => {
  let database: TestDatabase;
  let shell: Shell;
  let served: Served;
  const psql = (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> => {
    needProgram('psql');
    return shell.spawn(['psql', ...args], {
      env: {
        STAGE_SERVER: served.url,
        PGUSER: database.user,
        PGPASSWORD: database.password,
        ...env,
      },
    });
  };

  test.before(async () => {
    database = await createTestDatabase();
    shell = await createShell();
    served = await serve(shell, ['--upstream', database.url]);
    await shell.run(['session', 'new', '--server', served.url]);
  });
  test.after(async () => {
    await served.stop();
    await shell.clear();
    await database.drop();
  });

  test('says where to connect and what to do next', () => {
    assert.match(
      served.stdout,
      /^REST +http:\/\/127\.0\.0\.1:\d+\nproxy +127\.0\.0\.1:\d+, database stage_test/,
    );
    assert.match(
      served.stdout,
      /psql 'postgresql:\/\/app@127\.0\.0\.1:\d+\/stage_test\w+\?options=-c%20service_session%3DSESSION'/,
    );
    assert.match(
      served.stdout,
      /\n {2}export STAGE_SERVER=http.*\n.* session new\n.* diff\n.* propose\n/,
    );
    assert.not.match(served.stdout, /EMBEDDED/);
  });

  test('runs psql with the session', async () => {
    const { code, stdout, stderr } = await psql([
      '-v',
      '--',
      '-Atq',
      '-c',
      `UPDATE orders SET note = 'by psql' WHERE id = 2 RETURNING note`,
      '-c',
      'SELECT note FROM orders WHERE id = 2',
    ]);
    assert.equal([code, stdout], [0, 'by psql\nby psql\n']);
    assert.match(stderr, /^running \/.*\/psql\nNOTICE: {2}staged in session sess_\w+; production/);
    const diff = await shell.run(['diff', '--server', served.url]);
    assert.match(diff.stdout, /~ 2 {2}note: gift wrap → by psql/);
  });

  test('reads staged rows unless production is asked for, here or in PGOPTIONS', async () => {
    const shown = async (args: readonly string[], PGOPTIONS = '') =>
      (await psql([...args, '--', '-Atc', 'SHOW stage.reads'], { PGOPTIONS })).stdout.trim();
    assert.is(await shown([]), 'staged');
    assert.is(await shown(['--reads', 'production']), 'production');
    assert.is(await shown([], '-c service_reads=production'), 'production');
    assert.is(await shown(['--reads', 'staged'], '-c service_reads=production'), 'staged');
    const other = `-c service_session=sess_${'0'.repeat(32)}`;
    assert.is(await shown([], `${other} -c work_mem=7MB`), 'staged');
  });

  test('tells a person what the session is, and nothing to a script', async () => {
    needProgram('psql');
    const env = {
      STAGE_SERVER: served.url,
      PGUSER: database.user,
      PGPASSWORD: database.password,
    };
    const quiet = ['--', '-Atq', '-o', '/dev/null', '-c', 'SELECT 1'];
    const { stderr } = await shell.atTerminal(['psql', ...quiet], { env });
    assert.match(stderr, /^Session sess_\w+, database stage_test\w+, 1 statement staged\.\n/);
    assert.match(stderr, /production does not change before `stage approve`/);
    assert.match(stderr, /SELECT sees production with the staged rows merged in/);
    const production = await shell.atTerminal(['psql', '--reads', 'production', ...quiet], { env });
    assert.match(production.stderr, /SELECT sees production, without the staged rows/);
    assert.is((await shell.atTerminal(['psql', '--quiet', ...quiet], { env })).stderr, '');
    assert.is((await psql(quiet)).stderr, '');
  });

  test('ends with the exit code of psql', async () => {
    assert.is((await psql(['--', '-c', 'SELECT nonsense'])).code, 1);
    assert.is((await psql(['--user', 'nobody', '--', '-c', 'SELECT 1'])).code, 2);
  });

  test('connects through the proxy whatever the environment says', async () => {
    const env = {
      PGHOSTADDR: '192.0.2.1',
      PGSERVICE: 'elsewhere',
      PGPORT: '1',
      PGDATABASE: 'template1',
    };
    const { stdout } = await psql(['--', '-Atc', `SELECT current_database()`], env);
    assert.is(stdout, `${database.name}\n`);
  });

  test('keeps options of the user’s own', async () => {
    const { stdout } = await psql(['--', '-Atc', 'SHOW work_mem'], {
      PGOPTIONS: '-c work_mem=7MB',
    });
    assert.is(stdout, '7MB\n');
  });

  test('takes psql from absolute places on the PATH only', async () => {
    const trap = join(shell.folder, 'psql');
    await writeFile(trap, '#!/bin/sh\necho trapped\n');
    await chmod(trap, 0o755);
    const { stdout } = await psql(['--', '-Atc', 'SELECT 1'], { PATH: `.::${shell.env['PATH']}` });
    assert.is(stdout, '1\n');
    const { code } = await psql(['--', '-c', 'SELECT 1'], { PATH: '.' });
    assert.is(code, 5);
  });

  test('takes the URL and the keywords that are printed', async () => {
    const env = { STAGE_SERVER: served.url, PGUSER: database.user };
    for (const format of ['url', 'keywords']) {
      const { stdout: staged } = await shell.run(['url', '--reads', 'staged'], { env });
      const asked = await psql(['--', '-At', '-d', staged.trim(), '-c', 'SHOW stage.reads']);
      assert.is(asked.stdout, 'staged\n');
      const { stdout } = await shell.run(['url', '--format', format], { env });
      const { stdout: answer } = await psql([
        '--',
        '-At',
        '-d',
        stdout.trim(),
        '-c',
        'SELECT note FROM orders WHERE id = 2',
      ]);
      assert.is(answer, 'gift wrap\n');
    }
  });

  test('stops with 0', async () => {
    const other = await serve(shell, ['--upstream', database.url]);
    assert.is(await other.stop(), 0);
  });

  test('says when its port is taken, with 64', async () => {
    const { port } = new URL(served.url);
    const args = ['serve', '--upstream', database.url, '--port', port, '--proxy-port', '0'];
    const { code, stderr } = await shell.spawn(args);
    assert.is(code, 64);
    assert.match(stderr, /another program has this port/);
  });
});

suite('stage serve on the embedded sample', (test) => {
  test(
    'prints lines that can be pasted',
    async () => {
      const shell = await createShell();
      const folder = await mkdtemp(join(tmpdir(), 'stage-embedded-'));
      await chmod(folder, 0o755);
      const served = await serve(shell, ['--embedded', join(folder, 'data')]);
      assert.match(served.stdout, /^Production is an EMBEDDED PostgreSQL/);
      const [, session] = /(sess_[0-9a-f]{32})'/.exec(served.stdout) ?? [];
      const url = /psql '(.*)'/.exec(served.stdout)?.[1] ?? '';
      assert.match(url, /^postgresql:\/\/app:app@/);
      assert.ok(served.stdout.includes(`in a browser:\n  ${served.url}/review/${session}\n`));
      assert.is((await callHttp(served.url, 'GET', `/review/${session}`)).status, 200);
      const env = { STAGE_SERVER: served.url, PGUSER: '', PGPASSWORD: '' };
      const { stdout } = await shell.run(['session', 'show', '--json'], { env });
      assert.is(JSON.parse(stdout).id, session);
      const written = await shell.spawn(['psql', '--', '-Atqc', 'DELETE FROM order_items'], {
        env,
      });
      assert.is(written.code, 0);
      assert.match(written.stderr, /^NOTICE: {2}staged in session/);
      assert.is((await shell.run(['diff', '--exit-code'], { env })).code, 2);
      assert.is(await served.stop(), 0);
      await shell.clear();
      await rm(folder, { recursive: true, force: true });
    },
    { timeout: 120_000 },
  );
});
