/** An upstream whose name resolves to another address: new connections go there, whatever the old ones do. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, MissingProgram, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const execute = promisify(execFile);
const name = 'production.stage.test';

/** An address of this machine that leads to the database. */
interface Door {
  readonly port: number;
  /** Cuts all connections through it, and accepts no more. */
  shut(): Promise<void>;
}

suite('daemon: an upstream that gets another address', (test) => {
  let database: TestDatabase;
  let folder: string;
  let daemon: SpawnedDaemon | null = null;
  const doors: Door[] = [];
  test.before(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'stage-hosts-'));
  });
  test.after(async () => {
    daemon?.child.kill('SIGKILL');
    await daemon?.ended;
    for (const door of doors) await door.shut();
    await rm(folder, { recursive: true });
    await database.drop();
  });

  async function openDoor(address: string, port = 0): Promise<Door> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((client) => {
      const upstream = connect(database.port, database.host);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(from);
        from.on('error', () => undefined).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    const door = {
      port: (server.address() as AddressInfo).port,
      shut: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    };
    doors.push(door);
    return door;
  }
  /** Writes the file that the daemon reads as /etc/hosts. */
  const leadTo = (address: string) =>
    writeFile(join(folder, 'hosts'), `127.0.0.1 localhost\n${address} ${name}\n`);

  test(
    'goes on at the new address, with its sessions and its clients',
    async () => {
      await leadTo('127.0.0.2');
      const mount = `mount --bind ${join(folder, 'hosts')} /etc/hosts`;
      await execute('unshare', ['--mount', 'sh', '-c', mount]).catch(() => {
        throw new MissingProgram('a file of hosts to be changed');
      });
      const first = await openDoor('127.0.0.2');
      await openDoor('127.0.0.3', first.port);
      const url = new URL(database.url);
      url.host = `${name}:${first.port}`;
      const through = ['unshare', '--mount', 'sh', '-c', `${mount} && exec "$@"`, 'sh'];
      const served = await spawnDaemon(url.href, { through });
      daemon = served;
      const call = (method: string, path: string) => callHttp(served.restUrl, method, path);
      const session = (await call('POST', '/sessions')).body.session_id as string;
      const stage = async (id: number) => {
        const proxied = new URL(database.url);
        proxied.host = `127.0.0.1:${served.proxyPort}`;
        proxied.searchParams.set('options', `-c service_session=${session}`);
        const client = new pg.Client({ connectionString: proxied.href });
        await client.connect();
        await client.query(`UPDATE products SET stock = 1000 WHERE id = ${id}`);
        await client.end();
      };
      await stage(1);
      await first.shut();
      await until(async () => (await call('GET', '/health')).status === 503);
      await leadTo('127.0.0.3');
      await until(async () => (await call('GET', '/health')).status === 200);
      await stage(2);
      assert.is((await call('POST', `/sessions/${session}/propose`)).status, 200);
      assert.is((await call('POST', `/sessions/${session}/approve`)).status, 200);
      const rows = await database.query('SELECT FROM products WHERE stock = 1000');
      assert.is(rows.length, 2);
    },
    { timeout: 90_000 },
  );
});
