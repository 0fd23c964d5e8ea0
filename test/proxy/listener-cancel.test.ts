/** Cancel requests reach their owner's statement, and no other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import pg from 'pg';
import postgres from 'postgres';
import type { Key } from '../../src/wire/backend-decoder.ts';
import { decodeBackendKeyData } from '../../src/wire/backend-decoder.ts';
import { queryMessage } from '../../src/wire/frontend-messages.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { cancelRequest, sslRequest, startupMessage } from '../../src/wire/startup.ts';
import type { LoginServer } from '../helpers/login-server.ts';
import { startLoginServer } from '../helpers/login-server.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { RawClient, TestListener } from '../helpers/test-listener.ts';
import { connectRaw, startTestListener } from '../helpers/test-listener.ts';

const sleep = 'SELECT pg_sleep(60)';

suite('proxy: cancel', (test) => {
  let server: LoginServer;
  let listener: TestListener;
  test.before(async () => {
    server = await startLoginServer();
    listener = await startTestListener({ upstream: `${server.url}?sslmode=disable` });
  });
  test.afterEach(async () => {
    // A server does not notice that the client of a sleeping statement has disconnected.
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '${sleep}'`,
    );
    await sleeping(0);
  });
  test.after(async () => {
    await listener.stop();
    await server.stop();
  });

  async function countSleeping(): Promise<number> {
    const running = `SELECT FROM pg_stat_activity WHERE query = '${sleep}' AND state = 'active'`;
    return (await server.query(running)).length;
  }

  /** Waits until the given number of backends sleep. */
  async function sleeping(count: number): Promise<void> {
    while ((await countSleeping()) !== count);
  }

  /** Sends a request as libpq does: waits until the other side closes. */
  async function cancel(key: Key, port = listener.port): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    socket.resume();
    socket.write(cancelRequest(key));
    await once(socket, 'close');
  }

  /** Logs in with bytes and starts to sleep. Returns the connection and its key. */
  async function beginSleep(minor: number, port = listener.port) {
    const startup = startupMessage([
      ['user', 'trusted'],
      ['database', 'postgres'],
      ['service_session', listener.session.id],
      ...(minor === 9999 ? [['_pq_.grease', 'x'] as const] : []),
    ]);
    startup.writeUInt16BE(minor, 6);
    const client = await connectRaw(port, startup, queryMessage(sleep));
    const { key, types } = await readKey(client);
    return { client, key, types };
  }

  test('from psql, by Ctrl-C', async () => {
    needProgram('psql');
    const child = spawn('psql', ['--no-psqlrc', listener.url('trusted', ''), '-c', sleep], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    await sleeping(1);
    child.kill('SIGINT');
    await once(child, 'close');
    assert.match(complaint, /canceling statement due to user request/);
  });

  test('from postgres.js, and its connection goes on', async () => {
    const sql = postgres(listener.url('trusted', ''), { max: 1 });
    const query = sql.unsafe(sleep);
    const failed = rejects(query);
    await sleeping(1);
    query.cancel();
    assert.is((await failed).code, '57014');
    assert.equal([...(await sql`SELECT 1 AS one`)], [{ one: 1 }]);
    await sql.end();
  });

  test('from node-postgres', async () => {
    const client = new pg.Client({ connectionString: listener.url('scrammed', 'scrammed') });
    await client.connect();
    const failed = rejects(client.query(sleep));
    await sleeping(1);
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
    const secret = Buffer.alloc(4);
    secret.writeInt32BE(secretKey);
    await cancel({ processId: processID, secret });
    assert.is((await failed).code, '57014');
    await client.end();
  });

  for (const [minor, bytes, first] of [
    [0, 4, 'R'],
    [2, 32, 'R'],
    [9999, 32, 'v'],
  ] as const) {
    test(`with the key of protocol 3.${minor}`, async () => {
      const { client, key, types } = await beginSleep(minor);
      assert.is(key.secret.length, bytes);
      assert.is(types[0], first);
      await sleeping(1);
      await cancel(key);
      const ending = await readError(client);
      client.socket.destroy();
      assert.is(ending, '57014');
    });
  }

  test('from a client that closes its own side at once: no later statement is cancelled', async () => {
    const client = new pg.Client({ connectionString: listener.url('scrammed', 'scrammed') });
    await client.connect();
    try {
      const { processID, secretKey } = client as unknown as {
        processID: number;
        secretKey: number;
      };
      const secret = Buffer.alloc(4);
      secret.writeInt32BE(secretKey);
      for (let round = 0; round < 40; round += 1) {
        await client.query('SELECT 1');
        const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
        socket.resume();
        socket.end(cancelRequest({ processId: processID, secret }));
        await once(socket, 'close');
        const { rows } = await client.query('SELECT pg_sleep(0.02) IS NOT NULL AS slept');
        assert.equal(rows, [{ slept: true }]);
      }
    } finally {
      await client.end();
    }
  });

  test('reaches its own statement among others', async () => {
    const sleepers = [await beginSleep(0), await beginSleep(0), await beginSleep(2)];
    await sleeping(3);
    await cancel((sleepers[1] as { key: Key }).key);
    await sleeping(2);
    assert.is(await readError((sleepers[1] as { client: RawClient }).client), '57014');
    for (const { client } of sleepers) client.socket.destroy();
  });

  test('does nothing with a wrong key, the key of the upstream, or the key of a connection that has ended', async () => {
    const ended = await beginSleep(0);
    const closed = once(listener.pairs.at(-1)?.upstream as Socket, 'close');
    ended.client.socket.destroy();
    await closed;
    const { client, key } = await beginSleep(2);
    await sleeping(2);
    const backends = await server.query(
      `SELECT pid FROM pg_stat_activity WHERE query = '${sleep}'`,
    );
    const wrong = Buffer.from(key.secret);
    wrong[31] = (wrong[31] as number) ^ 1;
    for (const request of [
      ended.key,
      { ...key, secret: wrong },
      { ...key, secret: key.secret.subarray(0, 4) },
      { ...key, processId: key.processId + 1 },
      { processId: 0, secret: Buffer.alloc(4) },
      // the real process ids of the backends
      ...backends
        .map(({ pid }) => ({ ...key, processId: Number(pid) }))
        .filter(({ processId }) => processId !== key.processId),
    ]) {
      await cancel(request);
    }
    // Once a request is answered, its signal has been sent.
    assert.is(await countSleeping(), 2);
    await cancel(key);
    assert.is(await readError(client), '57014');
    await sleeping(1);
    client.socket.destroy();
  });

  test('a flood of requests costs the upstream one connection at a time, and none afterwards', async () => {
    const { client, key } = await beginSleep(0);
    await sleeping(1);
    await Promise.all(Array.from({ length: 200 }, () => cancel(key)));
    assert.is(await readError(client), '57014');
    client.socket.destroy();
  });

  test('over an encrypted upstream, also when the client may not encrypt', async () => {
    const encrypted = await startTestListener({
      upstream: `${server.url}?sslmode=require`,
      findSession: async () => listener.session,
    });
    const { client, key } = await beginSleep(0, encrypted.port);
    await sleeping(1);
    const socket = connect(encrypted.port, '127.0.0.1');
    socket.write(sslRequest);
    const [answer] = await once(socket, 'data');
    assert.is(String(answer), 'N');
    socket.resume();
    socket.write(cancelRequest(key));
    await once(socket, 'close');
    assert.is(await readError(client), '57014');
    client.socket.destroy();
    await encrypted.stop();
  });

  test('works when no connection is left', async () => {
    const narrow = await startTestListener({
      upstream: server.url,
      maxConnections: 1,
      findSession: async () => listener.session,
    });
    const { client, key } = await beginSleep(0, narrow.port);
    await sleeping(1);
    await cancel(key, narrow.port);
    assert.is(await readError(client), '57014');
    client.socket.destroy();
    await narrow.stop();
  });
});

async function readKey({ stream }: RawClient): Promise<{ key: Key; types: string }> {
  let key: Key | null = null;
  let types = '';
  for (;;) {
    const message = await stream.next();
    types += String.fromCharCode(message.type);
    if (message.type === backend.backendKeyData) key = decodeBackendKeyData(message.payload);
    if (message.type === backend.readyForQuery && key !== null) return { key, types };
  }
}

/** Reads up to the next error. Returns its SQLSTATE. */
async function readError({ stream }: RawClient): Promise<string> {
  for (;;) {
    const message = await stream.next();
    if (message.type === backend.errorResponse)
      return /C(\w{5})\0/.exec(message.payload.toString())?.[1] ?? '';
  }
}
