/** Hostile project folders: none of their programs runs, and no password goes to a server of theirs; and how a user trusts a folder. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, appendFile, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import { createLog } from '../../src/log.ts';
import { anyCluster } from '../helpers/any-cluster.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Outcome, Shell } from './stage.ts';
import { createShell, stageCommand } from './stage.ts';

const secret = 'correct-horse';
const slow = { timeout: 120_000 };
/** The time in milliseconds within which a server runs its archive_command. */
const toArchive = 3_000;

/** Starts a server that requests a password in clear text from everybody, and records what it receives. */
async function listenForPasswords(): Promise<{ server: Server; port: number; heard: string[] }> {
  const heard: string[] = [];
  const talk = (socket: Socket) => {
    let isStarted = false;
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        heard.push(chunk.toString('latin1'));
        if (chunk.length === 8) socket.write('N');
        else if (!isStarted) socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        else socket.destroy();
        isStarted = chunk.length !== 8;
      });
  };
  const server = createServer(talk);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, heard, port: typeof address === 'object' && address ? address.port : 0 };
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

suite('stage in a folder of somebody else', (test) => {
  let shell: Shell;
  let base: string;
  let hostile: Awaited<ReturnType<typeof listenForPasswords>>;
  test.before(async () => {
    shell = await createShell();
    base = await mkdtemp(join(tmpdir(), 'stage-hostile-'));
    await chmod(base, 0o755);
    hostile = await listenForPasswords();
    // a cluster that looks like one of stage's own, and runs a program
    const cluster = join(base, 'cluster');
    const log = createLog('silent', process.stderr);
    const settings = { fsync: 'off' };
    await (await startEmbedded({ directory: cluster, clusters: anyCluster, settings, log })).stop();
    await appendFile(
      join(cluster, 'data/postgresql.conf'),
      `\narchive_mode = on\narchive_timeout = 1\narchive_command = 'touch ${join(cluster, 'pwned')}'\n`,
    );
  });
  test.after(async () => {
    hostile.server.close();
    await shell.clear();
    await rm(base, { recursive: true, force: true });
  });

  /** Runs a command until it ends. A serving one is stopped as soon as it serves, or as soon as the folder's attack succeeded. */
  async function play(
    args: readonly string[],
    cwd: string,
    env: Record<string, string> = {},
    lingerMs = 0,
  ): Promise<Outcome> {
    const child: ChildProcess = spawn(process.execPath, [...stageCommand, ...args], {
      cwd,
      env: { ...shell.env, PGPASSWORD: secret, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    const hear = async (text: Buffer) => {
      stdout += text;
      if (!stdout.includes('Then:')) return;
      await sleep(lingerMs);
      child.kill('SIGTERM');
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', (text) => (stderr += text));
    const [code] = (await once(child, 'close')) as [number];
    return { code, stdout, stderr };
  }
  const serveArgs = ['serve', '--port', '0', '--proxy-port', '0', '--log-level', 'error'];
  const project = async (name: string, file: string) => {
    const folder = join(base, name);
    await mkdir(folder);
    await writeFile(join(folder, 'stage.config.yaml'), file);
    return folder;
  };
  const trap = join('cluster', 'pwned');

  test(
    'starts no cluster that a project brings along',
    async () => {
      const folder = await project('embedded', 'embedded: ../cluster\n');
      for (const args of [serveArgs, [...serveArgs, '--fresh'], [...serveArgs, '--check']]) {
        const { code, stderr } = await play(args, folder, {}, toArchive);
        assert.is(await exists(join(base, trap)), false, args.join(' '));
        assert.is(code, 64, stderr);
        assert.match(stderr, 'stage.config.yaml sets `embedded`, and is not trusted');
        assert.match(stderr, 'stage trust');
      }
    },
    slow,
  );

  test(
    'starts none that it did not make, whoever names the directory',
    async () => {
      const directory = join(base, 'cluster');
      for (const args of [
        ['--embedded', directory],
        ['--embedded', directory, '--fresh'],
      ]) {
        const { code, stderr } = await play([...serveArgs, ...args], base, {}, toArchive);
        assert.is(await exists(join(base, trap)), false, args.join(' '));
        assert.is(code, 64, stderr);
        assert.match(stderr, `${directory} holds a PostgreSQL cluster, and nothing says`);
        assert.match(stderr, `stage trust ${directory}`);
      }
    },
    slow,
  );

  for (const args of [
    serveArgs,
    ['doctor'],
    ['doctor', '--print-role'],
    ['uninstall', '--yes'],
    [...serveArgs, '--check'],
  ]) {
    test(
      `sends no password to a server that a project names: ${args.filter((each) => /^[a-z]|check|role/.test(each)).join(' ')}`,
      async () => {
        const name = `upstream-${args.join('')}`.replaceAll(/\W/g, '');
        const folder = await project(
          name,
          `upstream: postgresql://svc@127.0.0.1:${hostile.port}/shop?sslmode=disable\n`,
        );
        const deep = join(folder, 'deep');
        await mkdir(deep);
        await writeFile(join(folder, 'package.json'), '{}');
        for (const cwd of [folder, deep]) {
          const { code, stderr } = await play(args, cwd);
          assert.equal(hostile.heard, [], stderr);
          assert.is(code, 64, stderr);
          assert.match(stderr, 'sets `upstream`, and is not trusted');
        }
      },
      slow,
    );
  }

  test('sends no token and no password to a service that a project names', async () => {
    const folder = await project('server', `server: http://127.0.0.1:${hostile.port}\n`);
    const env = { STAGE_SERVER: '', STAGE_TOKEN: secret };
    for (const args of [['status'], ['approve', '-y'], ['session', 'list'], ['psql']]) {
      const { code, stderr } = await shell.run(args, { cwd: folder, env });
      assert.is(code, 64, stderr);
      assert.match(stderr, 'sets `server`, and is not trusted');
    }
    assert.equal(hostile.heard, []);
    const { code } = await shell.run(['status'], {
      cwd: folder,
      env: { STAGE_SERVER: 'http://127.0.0.1:1' },
    });
    assert.is(code, 7, 'what the environment says needs no trust');
  });

  test('needs no trust for what decides nothing', async () => {
    const folder = await project('harmless', 'port: 9\nembedded: ../cluster\nsession: sess_0\n');
    const shown = await shell.run(['serve', '--print-config'], { cwd: folder });
    assert.is(shown.code, 0);
    assert.match(shown.stdout, /^port: 9 /m);
    assert.is((await shell.run(['session', 'list'], { cwd: folder })).code, 7);
    assert.is((await shell.run(['help'], { cwd: folder })).code, 0);
  });

  test('takes the session that a project names only with trust', async () => {
    const { code, stderr } = await shell.run(['status', '--json'], { cwd: base });
    assert.is(code, 7, stderr);
    const folder = await project('session', `session: sess_${'0'.repeat(32)}\n`);
    for (const args of [['approve', '-y'], ['diff'], ['psql']]) {
      const refused = await shell.run(args, { cwd: folder });
      assert.ok([7, 64].includes(refused.code), refused.stderr);
      assert.not.match(refused.stdout, 'sess_0');
    }
  });

  test('trusts a file once, until it changes, and tells in JSON what it trusts', async () => {
    const folder = await project('mine', 'upstream: postgresql://svc@127.0.0.1:1/shop\n');
    const run = (...args: string[]) => shell.run(args, { cwd: folder });
    assert.is((await run('doctor')).code, 64);
    const path = join(folder, 'stage.config.yaml');
    assert.equal(await run('trust'), { code: 0, stdout: `trusted\tfile\t${path}\n`, stderr: '' });
    assert.is((await run('doctor')).code, 7);
    await appendFile(path, '# changed\n');
    const changed = await run('doctor', '--json');
    const { error, settings } = JSON.parse(changed.stderr);
    assert.equal([error, settings], ['configuration_untrusted', ['upstream']]);
    assert.match(changed.stderr, 'has changed since you trusted it');
    assert.match((await run('trust', '--list')).stdout, `changed\tfile\t${path}\n`);
    await run('trust', 'stage.config.yaml');
    assert.is((await run('doctor')).code, 7);
    const revoked = await run('trust', '--revoke', '--json');
    assert.equal(JSON.parse(revoked.stdout), {
      subjects: [{ kind: 'file', path, state: 'revoked' }],
    });
    assert.is((await run('doctor')).code, 64);
    assert.is((await run('trust', '--revoke')).code, 5);
    assert.is((await shell.run(['trust'], { cwd: base })).code, 5);
    assert.is((await run('trust', 'none.yaml')).code, 5);
  });

  test('tells a person what takes effect', async () => {
    const folder = await project('told', 'upstream: postgresql://svc@127.0.0.1:1/shop\nport: 9\n');
    const { stderr } = await shell.atTerminal(['trust'], { cwd: folder });
    assert.match(stderr, "upstream: sends the service account's password");
    assert.not.match(stderr, 'port');
  });

  test(
    'adopts a cluster that an earlier release made, after asking',
    async () => {
      const directory = join(base, 'old');
      const log = createLog('silent', process.stderr);
      const settings = { fsync: 'off' };
      await (await startEmbedded({ directory, clusters: anyCluster, settings, log })).stop();
      const piped = await shell.run(['trust', directory]);
      assert.equal([piped.code, piped.stdout], [64, '']);
      assert.match(piped.stderr, 'can have programs run as you');
      assert.is((await shell.atTerminal(['trust', directory], { input: 'no\n' })).code, 1);
      assert.is((await play([...serveArgs, '--embedded', directory], base)).code, 64);
      assert.is((await shell.atTerminal(['trust', directory], { input: 'yes\n' })).code, 0);
      assert.is((await play([...serveArgs, '--embedded', directory], base)).code, 0);
      await shell.run(['trust', '--revoke', directory]);
      assert.is((await play([...serveArgs, '--embedded', directory], base)).code, 64);
      const env = { STAGE_TRUST: '1' };
      assert.is((await play([...serveArgs, '--embedded', directory], base, env)).code, 0);
    },
    slow,
  );

  test(
    'knows the clusters that it made, and asks again where it cannot remember',
    async () => {
      const directory = join(base, 'made');
      for (let time = 0; time < 2; time += 1)
        assert.is((await play([...serveArgs, '--embedded', directory], base)).code, 0);
      const stateless = join(base, 'stateless');
      const env = { XDG_STATE_HOME: '/dev/null/state' };
      const args = ['serve', '--port', '0', '--proxy-port', '0', '--embedded', stateless];
      const first = await play(args, base, env);
      assert.is(first.code, 0, first.stderr);
      assert.match(first.stderr, /the next start will not recognise this embedded PostgreSQL/);
      const second = await play(args, base, env);
      assert.is(second.code, 64);
      assert.match(second.stderr, 'STAGE_TRUST=1');
    },
    slow,
  );
});
