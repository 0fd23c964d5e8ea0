/** The output of `stage serve` before it serves, in a terminal, and on errors. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell, stageCommand } from './stage.ts';

interface Serving {
  readonly stdout: string;
  readonly stderr: string;
  stop(): Promise<number>;
}

/** Starts `stage serve` on free ports, and waits for the end of its messages. */
async function serve(shell: Shell, args: readonly string[]): Promise<Serving> {
  const ports = ['--port', '0', '--proxy-port', '0'];
  const child: ChildProcess = spawn(
    process.execPath,
    [...stageCommand, 'serve', ...ports, ...args],
    { cwd: shell.folder, env: shell.env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'close') as Promise<[number]>;
  let stdout = '';
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  await new Promise<void>((done, failed) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk;
      if (stdout.includes('Then:') && stdout.endsWith('\n\n')) done();
    });
    ended.then(() => failed(new Error(`serve ended early: ${stdout}${stderr}`)), failed);
  });
  const stop = async () => {
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  return { stdout, stderr, stop };
}

const restOf = (stdout: string) => /REST +(\S+)/.exec(stdout)?.[1] ?? '';

suite('what stage serve says', (test) => {
  let database: TestDatabase;
  let shell: Shell;
  test.before(async () => {
    database = await createTestDatabase();
    shell = await createShell();
  });
  test.after(async () => {
    await shell.clear();
    await database.drop();
  });

  test('tells at once that the upstream does not let it in, and what to do', async () => {
    const upstream = new URL(database.url);
    upstream.password = 'wrong-secret';
    const served = await serve(shell, ['--upstream', upstream.href]);
    assert.is(await served.stop(), 0);
    assert.match(served.stdout, /Production cannot be used yet: .*password authentication failed/);
    assert.match(served.stdout, /Check user and password of the upstream URL/);
    assert.not.match(served.stdout + served.stderr, 'wrong-secret');
    const logged = served.stderr.split('\n').find((line) => line.includes('not ready')) ?? '';
    assert.match(JSON.parse(logged).hint, /Check user and password/);
  });

  test('checks everything without starting anything', async () => {
    const check = (args: readonly string[]) =>
      shell.spawn(['serve', '--check', '--port', '0', ...args]);
    const good = await check(['--upstream', database.url]);
    assert.is(good.code, 0, good.stderr);
    assert.match(good.stdout, /service_superuser/);
    const schemas = await database.query("SELECT 1 FROM pg_namespace WHERE nspname = 'stage'");
    assert.equal(schemas, []);
    const wrong = new URL(database.url);
    wrong.password = 'wrong-secret';
    const refused = await check(['--upstream', wrong.href]);
    assert.is(refused.code, 7);
    assert.match(refused.stderr, /password authentication failed[\s\S]*Check user and password/);
    const away = await check(['--upstream', 'postgresql://a@127.0.0.1:1/a']);
    assert.is(away.code, 7);
    const open = await check(['--upstream', database.url, '--host', '0.0.0.0']);
    assert.equal([open.code, /without a token/.test(open.stderr)], [64, true]);
    const noKey = ['--rest-tls', '--tls-cert', resolve('test/fixtures/tls/front.crt')];
    const faulty = await check(['--upstream', database.url, ...noKey]);
    assert.equal([faulty.code, /go together/.test(faulty.stderr)], [64, true]);
    const mixed = ['--tls-key', resolve('test/fixtures/tls/server.key')];
    const mismatch = await check(['--upstream', database.url, ...noKey, ...mixed]);
    assert.equal([mismatch.code, /cannot be used for TLS/.test(mismatch.stderr)], [64, true]);
  });

  test('finds danger as the doctor does', async () => {
    await database.query(`CREATE SCHEMA IF NOT EXISTS stage; CREATE ROLE ${role} NOLOGIN;
      ALTER SCHEMA stage OWNER TO ${role}`);
    try {
      const examined = await shell.spawn(['doctor', '--upstream', database.url]);
      const checked = await shell.spawn(['serve', '--check', '--upstream', database.url]);
      // the number of free connections depends on other users of the server
      const reported = ({ stdout }: { stdout: string }) => stdout.replace(/\d+ of \d+/, 'some');
      assert.equal([checked.code, reported(checked)], [examined.code, reported(examined)]);
    } finally {
      await database.query(`DROP SCHEMA stage; DROP ROLE ${role}`);
    }
  });

  test('serves REST over TLS with the certificate that it is given', async () => {
    const [cert, key] = ['crt', 'key'].map((end) => resolve(`test/fixtures/tls/front.${end}`));
    const tls = ['--rest-tls', '--tls-cert', cert ?? '', '--tls-key', key ?? ''];
    const served = await serve(shell, ['--upstream', database.url, ...tls]);
    try {
      const url = restOf(served.stdout);
      assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
      assert.ok(served.stdout.includes(`export STAGE_SERVER_CA=${cert}\n`));
      const env = { STAGE_SERVER: url };
      const unknown = await shell.run(['session', 'list'], { env });
      assert.is(unknown.code, 7);
      assert.match(unknown.stderr, /--server-ca or STAGE_SERVER_CA/);
      const known = { ...env, STAGE_SERVER_CA: cert ?? '' };
      assert.is((await shell.run(['session', 'new'], { env: known })).code, 0);
      const flag = await shell.run(['status', '--server-ca', cert ?? '', '--json'], { env });
      assert.is(JSON.parse(flag.stdout).status, 'ok');
      const other = resolve('test/fixtures/tls/server.crt');
      const wrong = await shell.run(['status', '--server-ca', other], { env });
      assert.is(wrong.code, 7);
      const plain = { STAGE_SERVER: url.replace('https:', 'http:') };
      assert.is((await shell.run(['session', 'list'], { env: plain })).code, 7);
      const none = await shell.run(['status', '--server-ca', join(shell.folder, 'no')], { env });
      assert.is(none.code, 64);
    } finally {
      assert.is(await served.stop(), 0);
    }
  });

  test('writes its log as JSON in a pipe, as text when asked', async () => {
    const json = await serve(shell, ['--upstream', database.url]);
    await json.stop();
    assert.not.match(json.stdout, 'Review in a browser');
    for (const line of json.stderr.trim().split('\n')) JSON.parse(line);
    const text = await serve(shell, ['--upstream', database.url, '--log-format', 'text']);
    await text.stop();
    assert.match(text.stderr, /^\d\d:\d\d:\d\d info {2}serving {2}rest=http:/m);
    assert.not.match(text.stderr, /^\{/m);
  });
});

const role = `stage_test_serve_${process.pid}`;

suite('stage serve on embedded data', (test) => {
  let shell: Shell;
  let folder: string;
  test.before(async () => {
    shell = await createShell();
    folder = await mkdtemp(join(tmpdir(), 'stage-embedded-'));
    await chmod(folder, 0o755);
  });
  test.after(async () => {
    await shell.clear();
    await rm(folder, { recursive: true, force: true });
  });

  test(
    'says since when it is there, warns of nothing, and begins anew only when work is not lost unasked',
    async () => {
      const data = ['--embedded', join(folder, 'data')];
      const first = await serve(shell, data);
      assert.match(first.stdout, /Its data: \S+\/data \(made now\)/);
      assert.not.match(first.stderr, /"level":"warn"/);
      const env = { STAGE_SERVER: restOf(first.stdout), PGUSER: '', PGPASSWORD: '' };
      const written = await shell.spawn(['psql', '--', '-qc', 'DELETE FROM order_items'], { env });
      assert.is(written.code, 0);
      await first.stop();
      const refused = await shell.spawn(['serve', ...data, '--fresh']);
      assert.is(refused.code, 64);
      assert.match(refused.stderr, /1 session is undecided .*--fresh would lose it/);
      const second = await serve(shell, data);
      assert.match(second.stdout, /found there, made \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
      assert.match(second.stdout, /--fresh/);
      await second.stop();
      const hash = createHash('sha256').update('secret').digest('hex');
      const tokens = join(shell.folder, 'tokens');
      await writeFile(tokens, `ann reviewer sha256:${hash}\n`, { mode: 0o600 });
      const third = await serve(shell, [...data, '--fresh', '--yes', '--token-file', tokens]);
      assert.match(third.stdout, /\(made now\)/);
      assert.match(third.stdout, /export STAGE_TOKEN=/);
      assert.match(third.stdout, / session new\n/);
      assert.match(third.stdout, /Review in a browser:\n {2}.+ review-link --inbox\n/);
      assert.not.match(third.stdout, /sess_[0-9a-f]/);
      assert.is(await third.stop(), 0);
    },
    { timeout: 240_000 },
  );

  test('has nothing to begin anew where there is an upstream', async () => {
    const upstream = ['--upstream', 'postgresql://a@127.0.0.1:1/a'];
    const { code, stderr } = await shell.spawn(['serve', '--fresh', ...upstream]);
    assert.equal([code, /--fresh is for the embedded/.test(stderr)], [64, true]);
  });
});
