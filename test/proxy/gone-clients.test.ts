/** Clients that have disconnected or no longer read: their locks are released, and their statements end. */
import type { EventEmitter } from 'node:events';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

type Client = pg.Client & {
  readonly connection: EventEmitter & { readonly stream: Socket };
};

/** How long a client may read nothing. */
const stallTimeoutMs = 1200;

/** Waits longer than the timeout. Nothing must happen meanwhile. */
const outlast = () => delay(2 * stallTimeoutMs);

suite('proxy: clients that are gone', (test) => {
  let daemon: TestDaemon;
  const clients: Client[] = [];
  test.before(async () => {
    daemon = await startTestDaemon({ flags: { stallTimeoutMs } });
  });
  test.afterEach(() => {
    for (const { connection } of clients.splice(0)) connection.stream.destroy();
  });
  test.after(() => daemon.stop());

  const connect = async (id: string, user?: string, password?: string) => {
    const connectionString = daemon.clientUrl(id, user, password);
    const client = new pg.Client({ connectionString, application_name: 'gone' }) as Client;
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };

  const states = async () => {
    const rows = await daemon.database.query<{ state: string }>(
      `SELECT state FROM pg_stat_activity WHERE application_name = 'gone' AND datname = current_database()`,
    );
    return rows.map(({ state }) => state);
  };

  const running = () => until(async () => (await states()).includes('active'));
  const free = () => until(async () => (await states()).length === 0);

  const leave = {
    'closes its connection': (socket: Socket) => socket.end(),
    'resets its connection': (socket: Socket) => socket.resetAndDestroy(),
  };
  const settings = {
    'by a cancel request': 'SET client_connection_check_interval = 0',
    'where the server looks, too': 'SET client_connection_check_interval = 1000',
  };
  for (const [how, away] of Object.entries(leave)) {
    for (const [by, set] of Object.entries(settings)) {
      test(`one that ${how}: its statement ends, ${by}`, async () => {
        const client = await connect(await daemon.newSession());
        await client.query(set);
        client.query('SELECT pg_sleep(60)').catch(() => undefined);
        await running();
        away(client.connection.stream);
        assert.ok(await free());
      });
    }

    test(`one that ${how} while its session is held by another`, async () => {
      const id = await daemon.newSession();
      const [first, second] = [await connect(id), await connect(id)];
      await first.query('BEGIN');
      await first.query(`UPDATE products SET stock = 1 WHERE id = 1`);
      second.query(`UPDATE products SET stock = 2 WHERE id = 1`).catch(() => undefined);
      await running();
      for (const { connection } of [second, first]) away(connection.stream);
      assert.ok(await free());
      assert.is((await daemon.call('POST', `/sessions/${id}/propose`)).status, 200);
    });
  }

  test('one that reads nothing is ended, and its session is free', async () => {
    const id = await daemon.newSession();
    const client = await connect(id);
    await client.query('BEGIN');
    await client.query(`UPDATE products SET stock = 1 WHERE id = 1`);
    client.query(`SELECT repeat('x', 100000) FROM generate_series(1, 400)`).catch(() => undefined);
    client.connection.stream.pause();
    assert.ok(await free());
    assert.is((await daemon.call('POST', `/sessions/${id}/propose`)).status, 200);
  });

  test('one that has read nothing of a small answer is ended only when nothing arrives at it', async () => {
    const id = await daemon.newSession();
    const client = await connect(id);
    await client.query('BEGIN');
    client.connection.stream.pause();
    const answer = client.query(`SELECT 1 AS one`);
    await outlast();
    client.connection.stream.resume();
    assert.equal((await answer).rows, [{ one: 1 }]);
  });

  test('one that reads slowly gets all of it', async () => {
    const client = await connect(await daemon.newSession());
    const { stream } = client.connection;
    let received = 0;
    stream.on('data', (chunk) => {
      received += chunk.length;
      stream.pause();
      setTimeout(() => stream.resume(), 3);
    });
    const rows = 300;
    const result = await client.query(
      `SELECT repeat('x', 100000) AS x FROM generate_series(1, ${rows})`,
    );
    assert.is(result.rows.length, rows);
    assert.ok(received > rows * 100_000);
  });

  test('one in the middle of a COPY that leaves has staged nothing', async () => {
    const id = await daemon.newSession();
    const client = await connect(id);
    const { stream } = client.connection;
    // node-postgres would abort the COPY
    client.connection.removeAllListeners('copyInResponse');
    client.query('COPY products (id, sku, name, price) FROM STDIN').catch(() => undefined);
    await running();
    stream.write(copyData('900\tgone\tgone\t1\n'));
    stream.resetAndDestroy();
    await once(stream, 'close');
    assert.ok(await free());
    assert.is((await daemon.call('GET', `/sessions/${id}`)).body.mutation_count, 0);
  });

  test('one that is idle in a transaction is left alone', async () => {
    const client = await connect(await daemon.newSession());
    await client.query('BEGIN');
    await outlast();
    assert.equal((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
  });
});

function copyData(text: string): Buffer {
  const head = Buffer.from('d\0\0\0\0');
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}
