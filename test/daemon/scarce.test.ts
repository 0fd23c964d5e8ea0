/** A machine that lacks a resource: a full disk under the log, no file descriptor for another connection. The daemon continues. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { needProgram } from '../helpers/programs.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, MissingProgram, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const execute = promisify(execFile);

suite('daemon: a machine that lacks something', (test) => {
  let database: TestDatabase;
  let folder: string;
  const daemons: SpawnedDaemon[] = [];
  const sockets: Socket[] = [];
  test.before(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'stage-scarce-'));
  });
  test.after(async () => {
    for (const socket of sockets) socket.destroy();
    for (const { child, ended } of daemons) {
      child.kill('SIGKILL');
      await ended;
    }
    await execute('umount', [folder]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });

  async function serve(options: Parameters<typeof spawnDaemon>[1]): Promise<SpawnedDaemon> {
    const daemon = await spawnDaemon(database.url, options);
    daemons.push(daemon);
    return daemon;
  }
  const newSession = async ({ restUrl }: SpawnedDaemon) =>
    (await callHttp(restUrl, 'POST', '/sessions', { json: {} })).body.session_id as string;
  async function open({ proxyPort }: SpawnedDaemon, session: string): Promise<pg.Client> {
    const url = new URL(database.url);
    url.host = `127.0.0.1:${proxyPort}`;
    url.searchParams.set('options', `-c service_session=${session}`);
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }
  async function approve({ restUrl }: SpawnedDaemon, session: string): Promise<number> {
    await callHttp(restUrl, 'POST', `/sessions/${session}/propose`);
    return (await callHttp(restUrl, 'POST', `/sessions/${session}/approve`)).status;
  }

  test(
    'space for its log: it serves, counts the lines that are lost, and writes on once there is space',
    async () => {
      const mount = ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder];
      await execute('mount', mount).catch(() => {
        throw new MissingProgram('a disk to be filled');
      });
      const ballast = join(folder, 'ballast');
      await writeFile(ballast, Buffer.alloc(65_536)).catch(() => undefined);
      const file = openSync(join(folder, 'log'), 'a');
      const daemon = await serve({ log: file, env: { STAGE_LOG_LEVEL: 'debug' } });
      closeSync(file);
      const session = await newSession(daemon);
      const client = await open(daemon, session);
      await client.query('UPDATE products SET stock = stock + 1 WHERE id = 1');
      await client.end();
      assert.is(await approve(daemon, session), 200);
      const { text } = await callHttp(daemon.restUrl, 'GET', '/metrics');
      const lost = Number(/^service_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
      assert.ok(lost > 0, `${lost} lines lost`);
      await rm(ballast);
      daemon.child.kill('SIGTERM');
      assert.equal(await daemon.ended, [0, null]);
      const lines = (await readFile(join(folder, 'log'), 'utf8')).split('\n').filter(Boolean);
      const messages = lines.map((line) => JSON.parse(line).message as string);
      assert.ok(messages.includes('stopping'), messages.join());
    },
    { timeout: 60_000 },
  );

  test(
    'file descriptors: who is there goes on, who comes is let in once others have left',
    async () => {
      needProgram('prlimit');
      const daemon = await serve({});
      const { restUrl, proxyPort, child } = daemon;
      const descriptors = (await readdir(`/proc/${child.pid}/fd`)).length + 40;
      await execute('prlimit', [`--pid=${child.pid}`, `--nofile=${descriptors}:${descriptors}`]);
      const session = await newSession(daemon);
      const client = await open(daemon, session);
      await client.query('UPDATE products SET stock = stock + 1 WHERE id = 2');
      for (let n = 0; n < 150; n += 1) {
        const socket = connect(proxyPort, '127.0.0.1');
        socket.on('error', () => undefined);
        sockets.push(socket);
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      }
      await until(() => sockets.some((socket) => socket.closed));
      await client.query('UPDATE products SET stock = stock + 1 WHERE id = 2');
      for (const socket of sockets) socket.destroy();
      await client.end();
      await until(
        async () => (await callHttp(restUrl, 'GET', '/health').catch(() => null))?.status === 200,
      );
      assert.is(await approve(daemon, session), 200);
      assert.is(child.exitCode, null);
      const next = await until(() => newSession(daemon).catch(() => null));
      const again = await until(() => open(daemon, next).catch(() => null));
      await again.end();
    },
    { timeout: 60_000 },
  );
});
