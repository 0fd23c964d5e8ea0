/** The flow of bytes in both directions: backpressure where one side is slow, and how connections end. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { decodeDataRow } from '../../src/wire/backend-decoder.ts';
import { terminateMessage } from '../../src/wire/frontend-messages.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire, inWords, q, run, s } from '../helpers/wire-script.ts';

const schema = `CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (1, 'one')`;
const ready = 'Z'.charCodeAt(0);

/** Returns the process id of the connection's backend. */
async function backendOf(wire: WireClient): Promise<number> {
  wire.send(q('SELECT pg_backend_pid()'));
  const [, row] = await wire.readTo(ready);
  return Number(decodeDataRow(row!.payload)[0]);
}

/** Returns a message with a body that need not be valid. */
function message(type: string, body = '', length = 4 + body.length): Buffer {
  const header = Buffer.from(`${type}....`);
  header.writeInt32BE(length, 1);
  return Buffer.concat([header, Buffer.from(body)]);
}

suite('back-pressure', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  /** Resolves when the server itself waits for its response to be read. */
  const untilServerWaits = (pid: number) =>
    until(async () => {
      const [row] = await proxied.database.query<{ event: string }>(
        'SELECT wait_event AS event FROM pg_stat_activity WHERE pid = $1',
        [pid],
      );
      return row?.event === 'ClientWrite';
    });
  const heldBytes = () => process.memoryUsage().arrayBuffers;

  test('a client that does not read a large result holds back the server', async () => {
    const wire = await proxied.wire(await proxied.session());
    const pid = await backendOf(wire);
    const before = heldBytes();
    wire.socket.pause();
    wire.send(q(`SELECT repeat('x', 10000) FROM generate_series(1, 20000)`));
    await untilServerWaits(pid);
    assert.ok(heldBytes() - before < 16e6, `${heldBytes() - before} bytes held`);
    let bytes = 0;
    wire.socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    wire.socket.resume();
    await until(() => bytes > 200e6);
    wire.close();
    assert.ok(bytes < 201e6);
  });

  test('one value larger than all buffers passes', async () => {
    const wire = await proxied.wire(await proxied.session());
    wire.send(q(`SELECT repeat('x', 100000000)`), q('SELECT 1'));
    const messages = await wire.readTo(ready, 2);
    assert.is(messages[1]?.payload.length, 100_000_006);
    wire.close();
  });

  test('a client that only sends is not read any further', async () => {
    const wire = await proxied.wire(await proxied.session());
    const pid = await backendOf(wire);
    const before = heldBytes();
    wire.socket.pause();
    const many = Array.from({ length: 1000 }, () => q(`SELECT repeat('x', 20000000)`));
    const words = q(`SELECT 1 -- ${'and so on '.repeat(5000)}`);
    wire.socket.write(Buffer.concat([...many, ...many.map(() => words)]));
    await untilServerWaits(pid);
    const held = heldBytes() - before - wire.socket.writableLength;
    assert.ok(held < 32e6, `${held} bytes held`);
    wire.close();
  });
});

suite('endings', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const isGone = (pid: number) =>
    until(async () => {
      const rows = await proxied.database.query('SELECT FROM pg_stat_activity WHERE pid = $1', [
        pid,
      ]);
      return rows.length === 0;
    });
  const leave: Record<string, (wire: WireClient) => void> = {
    'says goodbye': (wire) => wire.send(terminateMessage),
    'closes its socket': (wire) => wire.socket.destroy(),
    'resets its connection': (wire) => wire.socket.resetAndDestroy(),
  };
  for (const [name, end] of Object.entries(leave)) {
    test(`a client ${name} in its transaction: nothing of it stays`, async () => {
      const url = await proxied.session('staged');
      const wire = await proxied.wire(url);
      const pid = await backendOf(wire);
      wire.send(q('BEGIN'), q(`UPDATE item SET name = 'never' WHERE id = 1`));
      await wire.readTo(ready, 2);
      end(wire);
      await isGone(pid);
      const client = await proxied.connect(url);
      assert.equal((await client.query('SELECT name FROM item')).rows, [{ name: 'one' }]);
    });
  }

  test('a client that leaves in the middle of a result takes its backend with it', async () => {
    const wire = await proxied.wire(await proxied.session());
    const pid = await backendOf(wire);
    wire.send(q(`SELECT repeat('x', 1000) FROM generate_series(1, 1000000)`));
    await wire.readTo('D'.charCodeAt(0), 10);
    wire.socket.destroy();
    await isGone(pid);
    assert.ok(true);
  });

  test('what the server says when it ends a connection reaches the client', async () => {
    const wire = await proxied.wire(await proxied.session());
    const pid = await backendOf(wire);
    await proxied.database.query('SELECT pg_terminate_backend($1)', [pid]);
    const words = (await wire.readToEnd()).map(inWords);
    assert.is(words.length, 1);
    assert.match(
      words[0] ?? '',
      /V=FATAL C=57P01 M=terminating connection due to administrator command/,
    );
  });

  test('messages that are none end the connection', async () => {
    for (const bytes of [message('?'), message('Q', '', 1), message('p', 'secret')]) {
      const wire = await proxied.wire(await proxied.session());
      const pid = await backendOf(wire);
      wire.send(bytes);
      const words = (await wire.readToEnd()).map(inWords);
      assert.match(words.at(-1) ?? '', /V=FATAL C=08P01/);
      await isGone(pid);
    }
  });

  test('a malformed message of the right length is an error like any other', async () => {
    const wire = await proxied.wire(await proxied.session());
    wire.send(message('Q', 'no end'), q('SELECT 1'));
    wire.send(message('B', 'too short'), s, run('SELECT 2'), s);
    const words = (await wire.readTo(ready, 4)).map(inWords);
    assert.is(words.filter((word) => word.includes('C=08P01')).length, 2);
    assert.is(words.filter((word) => word.startsWith('C SELECT 1')).length, 2);
  });
});

suite('when the upstream is cut off', (test) => {
  test('the client is told so, and that it can come again', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    const sockets = new Set<Socket>();
    const relay = createServer((inside) => {
      const outside = connect({ host: database.host, port: database.port });
      for (const socket of [inside, outside]) {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      }
      inside.pipe(outside).pipe(inside);
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(relay.address() as { port: number }).port}`;
    const daemon = await startTestDaemon({ database: { ...database, url: url.href } });
    const wire = await connectWire(daemon.clientUrl(await daemon.newSession()));
    wire.send(q('SELECT pg_sleep(60)'));
    await until(async () => {
      const [row] = await database.query<{ n: string }>(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`,
      );
      return Number(row?.n) === 1;
    });
    for (const socket of sockets) socket.destroy();
    const words = (await wire.readToEnd()).map(inWords);
    assert.match(words.at(-1) ?? '', /V=FATAL C=57P01 .*H=/);
    await daemon.stop();
    relay.close();
    await database.drop();
  });
});

suite('when the daemon stops', (test) => {
  test('running statements end, transactions of clients may, and all are told', async () => {
    const proxied = await startProxied(schema, { shutdownGraceMs: 10_000 });
    const url = await proxied.session();
    const [idle, running, open] = [
      await proxied.wire(url),
      await proxied.wire(url),
      await proxied.wire(url),
    ];
    running.send(q('SELECT pg_sleep(0.5), 7'));
    open.send(q('BEGIN'), q('SELECT 1'));
    await open.readTo(ready, 2);
    const stopped = proxied.daemon.stop();
    assert.match((await idle.readToEnd()).map(inWords).join(), /V=FATAL C=57P01/);
    open.send(q('SELECT 2'), q('COMMIT'));
    assert.match(
      (await open.readToEnd()).map(inWords).join(' '),
      /C SELECT 1.*C COMMIT.*Z I.*C=57P01/,
    );
    assert.match((await running.readToEnd()).map(inWords).join(' '), /7.*C SELECT 1.*Z I.*C=57P01/);
    await stopped;
    assert.match((await rejects(connectWire(url))).message, /ECONNREFUSED/);
    await proxied.twin.drop();
    await proxied.database.drop();
  });
});
