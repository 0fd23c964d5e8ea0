/** Readers of a diff that stop reading: nobody else waits for them, and they are cut off. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

/** More than there are connections for reading. */
const readers = Number(process.env['STAGE_TEST_READERS'] || 14);

/** Transactions of the service that hold a snapshot, in the middle of a statement or between two. */
const snapshots = `
SELECT count(*)::int AS count FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'stage' AND state <> 'idle'`;

suite('daemon: readers that stop reading', (test) => {
  let daemon: TestDaemon;
  const sockets: Socket[] = [];
  test.before(async () => {
    daemon = await startTestDaemon();
    await daemon.database.query('CREATE TABLE document (id int PRIMARY KEY, body text NOT NULL)');
  });
  test.afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  test.after(() => daemon.stop());

  const staging = async (statement: string) => {
    const id = await daemon.newSession();
    const client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    await client.connect();
    await client.query(statement);
    await client.end();
    return id;
  };

  /** Creates a session whose diff is larger than the buffers of sockets. */
  const big = () =>
    staging(
      `INSERT INTO document SELECT g, repeat(md5(g::text), 3000) FROM generate_series(1, 300) g`,
    );

  /** Requests a path, and reads only the first bytes of the response. */
  const stopReading = async (url: string, path: string, header = 'Accept: */*') => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    sockets.push(socket);
    // it may come before anybody waits for it
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n${header}\r\n\r\n`);
    const first = new Promise<string>((resolve) => {
      socket.once('data', (chunk) => {
        socket.pause();
        resolve(String(chunk));
      });
    });
    return { socket, first, closed };
  };

  test('leave lists, other readers and approvals alone, and are told when there are too many', async () => {
    const [id, other] = [await big(), await staging(`DELETE FROM document WHERE id = 0`)];
    const asked = await Promise.all(
      Array.from({ length: readers }, () => stopReading(daemon.restUrl, `/sessions/${id}/diff`)),
    );
    const heads = await Promise.all(asked.map(({ first }) => first));
    const refused = heads.filter((head) => head.startsWith('HTTP/1.1 503 '));
    assert.ok(refused.length > 0 && refused.length < readers);
    for (const head of refused) {
      assert.match(head, /^Retry-After: \d+\r$/m);
      assert.match(head, '"error":"busy"');
    }
    const calls = [
      ['GET', '/sessions'],
      ['GET', `/sessions/${id}/conflicts`],
      ['GET', `/sessions/${id}/diff/outline`],
      ['GET', '/audit?project_id=default'],
      ['POST', `/sessions/${other}/propose`],
      ['POST', `/sessions/${other}/approve`],
    ] as const;
    for (const [method, path] of calls)
      assert.is((await daemon.call(method, path)).status, 200, path);
  });

  test(
    'are ended with their snapshots, and those that read slowly are not',
    async () => {
      const id = await big();
      const strict = await startTestDaemon({
        database: daemon.database,
        flags: { stallTimeoutMs: 1000 },
      });
      try {
        const { socket, first, closed } = await stopReading(strict.restUrl, `/sessions/${id}/diff`);
        const slow = await stopReading(strict.restUrl, `/sessions/${id}/diff`);
        let received = 0;
        slow.socket.on('data', (chunk) => {
          received += chunk.length;
          slow.socket.pause();
          setTimeout(() => slow.socket.resume(), 1);
        });
        // if it were resumed earlier, the first bytes would pause it once more
        await Promise.all([first, slow.first]);
        slow.socket.resume();
        await until(async () => (await holding()) === 0);
        socket.resume();
        await closed;
        const whole = (await daemon.call('GET', `/sessions/${id}/diff`)).text.length;
        await until(() => received >= whole || slow.socket.closed);
        assert.ok(received >= whole, `${received} of ${whole}`);
      } finally {
        await strict.stop();
      }
    },
    { timeout: 90_000 },
  );

  test('are ended at the stream of events, too', async () => {
    const id = await staging('DELETE FROM document WHERE id = 0');
    await daemon.database.query(
      `SELECT stage.emit('${id.slice(5)}', 'default', 'comment', NULL, jsonb_build_object('message', repeat('x', 20000))) FROM generate_series(1, 2000)`,
    );
    const strict = await startTestDaemon({
      database: daemon.database,
      flags: { stallTimeoutMs: 1000 },
    });
    const streams: ServerResponse[] = [];
    const note = (message: unknown) =>
      streams.push((message as { response: ServerResponse }).response);
    subscribe('http.server.request.start', note);
    try {
      const path = '/events?after=0';
      const { first } = await stopReading(strict.restUrl, path, 'Accept: text/event-stream');
      assert.match(await first, /^HTTP\/1.1 200 /);
      const [stream] = streams.filter(({ req }) => req.url === path);
      await until(() => stream?.destroyed);
      assert.ok(stream?.destroyed);
    } finally {
      unsubscribe('http.server.request.start', note);
      await strict.stop();
    }
  });

  test('are not taken for it when it was the daemon that stood still', async () => {
    const id = await big();
    const settings = { stallTimeoutMs: 1000, maxConnections: 5 };
    const { child, restUrl, kill } = await spawnDaemon(daemon.database.url, { settings });
    try {
      const { socket, first } = await stopReading(restUrl, `/sessions/${id}/diff`);
      let received = (await first).length;
      child.kill('SIGSTOP');
      socket.on('data', (chunk) => {
        received += chunk.length;
      });
      socket.resume();
      // longer than the timeout of a reader
      await delay(1500);
      child.kill('SIGCONT');
      const whole = (await daemon.call('GET', `/sessions/${id}/diff`)).text.length;
      await until(() => received >= whole || socket.closed);
      assert.ok(received >= whole, `${received} of ${whole}`);
    } finally {
      await kill();
    }
  });

  const holding = async () => (await daemon.database.query<{ count: number }>(snapshots))[0]?.count;
});
