/** Clients whose machine vanishes without closing connections. They run in a separate network, whose link is cut. */
import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, MissingProgram, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const execute = promisify(execFile);

const [near, far] = ['10.213.77.1', '10.213.77.2'];
const name = `stage${process.pid}`;

/** The actions of a client before its link is cut. It does not wait for the last response. */
const actions: Readonly<Record<string, string>> = {
  idle: `await client.query('BEGIN'); await client.query("UPDATE products SET stock = 1 WHERE id = 1")`,
  running: `client.query('SELECT pg_sleep(300)')`,
  answered: `client.query('SELECT pg_sleep(6)')`,
  unread: `client.query("SELECT repeat('x', 100000) FROM generate_series(1, 400)"); client.connection.stream.pause()`,
  copying: `client.connection.removeAllListeners('copyInResponse'); client.query('COPY products (id, sku, name, price) FROM STDIN')`,
};

const program = (url: string, action: string) => `
const pg = require('pg');
const client = new pg.Client({ connectionString: ${JSON.stringify(url)} });
client.on('error', () => undefined);
client.connect().then(async () => { ${action}; console.log('done'); setTimeout(() => undefined, 1e6); });`;

suite('proxy: clients whose machine is gone', (test) => {
  let daemon: TestDaemon | undefined;
  const children: ChildProcess[] = [];
  const ip = (...args: string[]) => execute('ip', args);
  const clear = async () => {
    await ip('netns', 'del', name).catch(() => undefined);
    await ip('link', 'del', `${name}a`).catch(() => undefined);
  };
  test.after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await daemon?.stop();
    await clear();
  });

  const lay = async () => {
    needProgram('ip');
    try {
      await ip('netns', 'add', name);
      await ip(
        'link',
        'add',
        `${name}a`,
        'type',
        'veth',
        'peer',
        'name',
        `${name}b`,
        'netns',
        name,
      );
      await ip('addr', 'add', `${near}/30`, 'dev', `${name}a`);
      await ip('link', 'set', `${name}a`, 'up');
      await ip('-n', name, 'addr', 'add', `${far}/30`, 'dev', `${name}b`);
      await ip('-n', name, 'link', 'set', `${name}b`, 'up');
    } catch {
      throw new MissingProgram('a network to be cut');
    }
  };

  test(
    'are freed, in whatever state they are',
    async () => {
      await lay();
      const flags = { host: near, allowUnauthenticated: true, stallTimeoutMs: 6000 };
      daemon = await startTestDaemon({ flags });
      const { database, newSession, clientUrl } = daemon;
      for (const [action, text] of Object.entries(actions)) {
        const url = `${clientUrl(await newSession())}&application_name=${action}`;
        const args = ['netns', 'exec', name, process.execPath, '-e', program(url, text)];
        const child = spawn('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] });
        children.push(child);
        await new Promise((resolve) => child.stdout.once('data', resolve));
        await until(async () => {
          const busy = `SELECT FROM pg_stat_activity WHERE application_name = $1 AND state IN ('active', 'idle in transaction')`;
          return (await database.query(busy, [action])).length === 1;
        });
      }
      const left = async () => {
        const found = await database.query<{ name: string }>(
          'SELECT application_name AS name FROM pg_stat_activity WHERE application_name = ANY ($1) ORDER BY 1',
          [Object.keys(actions)],
        );
        return found.map((row) => row.name);
      };
      // the client that reads nothing may be disconnected already
      assert.ok((await left()).length >= 4);
      await ip('-n', name, 'link', 'set', `${name}b`, 'down');
      assert.ok(await until(async () => (await left()).length === 0));
    },
    { timeout: 75_000 },
  );
});
