/** Which clients are turned away, how fast, and how everything ends. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import pg from 'pg';
import { createAdmission } from '../../src/client-connection/listener-admission.ts';
import { StageError } from '../../src/errors.ts';
import { queryMessage } from '../../src/wire/frontend-messages.ts';
import { frontend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import { startupMessage } from '../../src/wire/startup.ts';
import type { LoginServer } from '../helpers/login-server.ts';
import { psql, startLoginServer } from '../helpers/login-server.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { TestListener } from '../helpers/test-listener.ts';
import { connectRaw, startTestListener } from '../helpers/test-listener.ts';

async function connectPg(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

suite('proxy: limits and end', (test) => {
  let server: LoginServer;
  const listeners: TestListener[] = [];
  const start = async (options: Partial<Parameters<typeof startTestListener>[0]> = {}) => {
    const listener = await startTestListener({ upstream: server.url, ...options });
    listeners.push(listener);
    return listener;
  };
  const login = (listener: TestListener, user = 'trusted') =>
    startupMessage([
      ['user', user],
      ['database', 'postgres'],
      ['service_session', listener.session.id],
    ]);
  test.before(async () => {
    server = await startLoginServer();
  });
  test.afterEach(async () => {
    await Promise.all(listeners.splice(0).map((listener) => listener.stop()));
  });
  test.after(() => server.stop());

  test('an unknown session is told what to add', async () => {
    const listener = await start();
    const unknown = `sess_${'0'.repeat(32)}`;
    const { code, err } = await psql(
      listener.url('trusted', '', `-c service_session=${unknown}`),
      'SELECT 1',
    );
    assert.is(code, 2);
    assert.match(err, `FATAL:  session "${unknown}" does not exist`);
    assert.match(err, "HINT:  Add options='-c service_session=<session id>'");
    const none = await rejects<pg.DatabaseError>(connectPg(listener.url('trusted', '', '')));
    assert.is(none.code, '08004');
    assert.is(none.severity, 'FATAL');
    assert.match(none.hint ?? '', "options='-c service_session=<session id>'");
  });

  test('another database, another encoding', async () => {
    const listener = await start();
    const url = new URL(listener.url('trusted', ''));
    url.pathname = '/template1';
    const { err } = await psql(url.href, 'SELECT 1');
    assert.match(err, 'HINT:  Connect to database "postgres".');
    const encoded = await psql(listener.url('trusted', ''), 'SELECT 1', {
      PGCLIENTENCODING: 'LATIN1',
    });
    assert.match(encoded.err, 'client encoding "LATIN1" is not supported');
    assert.is(
      (await psql(listener.url('trusted', ''), 'SELECT 1', { PGCLIENTENCODING: 'UTF8' })).out,
      '1',
    );
  });

  test('errors of the session lookup: ours are told, others are not', async () => {
    const away = await start({
      findSession: () => Promise.reject(new StageError('upstream_unavailable', 'it is away')),
    });
    assert.is((await rejects(connectPg(away.url('trusted', '')))).code, '08006');
    const broken = await start({ findSession: () => Promise.reject(new Error('secret detail')) });
    const error = await rejects(connectPg(broken.url('trusted', '')));
    assert.is(error.code, 'XX000');
    assert.not.match(error.message, 'secret');
    assert.match(broken.log.join(''), 'secret detail');
  });

  test('an upstream that is down is named, with a hint', async () => {
    const nobody = createServer().listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const { port } = nobody.address() as AddressInfo;
    await once(nobody.close(), 'close');
    const listener = await start({ upstream: `postgresql://x@127.0.0.1:${port}/postgres` });
    const { err } = await psql(listener.url('trusted', ''), 'SELECT 1');
    assert.match(err, /FATAL: {2}the upstream database cannot be reached: ECONNREFUSED/);
    assert.match(err, /HINT: {2}Check that PostgreSQL is running/);
  });

  test('no more than so many connections, in total and per address', async () => {
    for (const [options, message] of [
      [{ maxConnections: 2 }, 'too many connections'],
      [{ maxConnectionsPerAddress: 2 }, 'too many connections from this address'],
    ] as const) {
      const listener = await start(options);
      const first = await connectPg(listener.url('trusted', ''));
      const second = await connectPg(listener.url('trusted', ''));
      const error = await rejects<pg.DatabaseError>(connectPg(listener.url('trusted', '')));
      assert.is(error.code, '53300');
      assert.is(error.message, message);
      assert.ok(error.hint);
      assert.equal((await second.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
      // A slot is free again once the connection has ended on both sides.
      const gone = once(listener.pairs[0]?.upstream as Socket, 'close');
      await Promise.all([first.end(), gone]);
      const third = await connectPg(listener.url('trusted', ''));
      await Promise.all([second.end(), third.end()]);
    }
  });

  test('a refused login gives its place back', async () => {
    const listener = await start({ maxConnections: 1 });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const error = await rejects(connectPg(listener.url('scrammed', 'wrong')));
      assert.is(error.code, '28P01');
    }
    const client = await connectPg(listener.url('scrammed', 'scrammed'));
    await client.end();
  });

  test('the oldest of too many silent connections goes first', () => {
    const admission = createAdmission({ total: () => 1, perAddress: 1, silent: 2 });
    const destroyed: number[] = [];
    const leave = [0, 1, 2, 3, 4].map((number) => {
      const socket = { destroy: () => destroyed.push(number), once: () => undefined };
      const left = admission.arrive(socket as unknown as Socket);
      if (number === 1) left();
      return left;
    });
    assert.is(leave.length, 5);
    assert.equal(destroyed, [0, 2]);
  });

  test('a login that takes too long is ended, wherever it stands', async () => {
    const listener = await start({ settings: { loginTimeoutMs: 1000 } });
    const sasl = await connectRaw(listener.port, login(listener, 'scrammed'));
    const silent = await connectRaw(listener.port);
    const half = await connectRaw(listener.port, login(listener).subarray(0, 20));
    for (const client of [sasl, silent, half])
      assert.is((await client.readToEnd()).sqlstate, '57014');
    // The time limit applies to the login alone.
    const client = await connectPg(listener.url('trusted', ''));
    await client.query('SELECT pg_sleep(1.2)');
    await client.end();
    assert.equal(
      await server.query("SELECT usename FROM pg_stat_activity WHERE usename = 'scrammed'"),
      [],
    );
  });

  test('what is no login is refused', async () => {
    const listener = await start();
    const answer = async (...packets: Buffer[]) =>
      (await connectRaw(listener.port, ...packets)).readToEnd();
    assert.is((await answer(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).sqlstate, '08P01');
    assert.is((await answer(Buffer.alloc(8))).sqlstate, '08P01');
    assert.is((await answer(Buffer.from('7fffffff00030000', 'hex'))).sqlstate, '08P01');
    assert.is((await answer(Buffer.from('0000000800020000', 'hex'))).sqlstate, '0A000');
    assert.is((await answer(Buffer.from('0000271100030000', 'hex'))).sqlstate, '08P01');
  });

  test('nothing but a password answers the request for one', async () => {
    const listener = await start();
    const badSasl = new MessageWriter()
      .text('SCRAM-SHA-256-PLUS')
      .value(Buffer.from('p=x,,n='))
      .message(frontend.password);
    for (const message of [queryMessage('SELECT 1'), login(listener), badSasl]) {
      const client = await connectRaw(listener.port, login(listener, 'scrammed'));
      assert.is(String.fromCharCode((await client.stream.next()).type), 'R');
      client.socket.write(message);
      assert.is((await client.readToEnd()).sqlstate, '08P01');
    }
  });

  test('a client that vanishes in the middle of its login leaves nothing behind', async () => {
    const listener = await start({ maxConnections: 1 });
    const client = await connectRaw(listener.port, login(listener, 'scrammed'));
    await client.stream.next();
    client.socket.destroy();
    while (
      (await server.query("SELECT FROM pg_stat_activity WHERE usename = 'scrammed'")).length > 0
    );
    const next = await connectPg(listener.url('trusted', ''));
    await next.end();
    assert.is(listener.pairs.length, 1);
  });

  test('stop: ends logins and tells the pipelines', async () => {
    const listener = await startTestListener({ upstream: server.url });
    const running = await connectRaw(
      listener.port,
      startupMessage([
        ['user', 'trusted'],
        ['database', 'postgres'],
        ['service_session', listener.session.id],
      ]),
    );
    while (String.fromCharCode((await running.stream.next()).type) !== 'Z');
    const silent = await connectRaw(listener.port);
    const stopped = listener.stop();
    assert.is((await running.readToEnd()).sqlstate, '57P01');
    assert.is((await silent.readToEnd()).sqlstate, '57P01');
    await stopped;
    const late = connect(listener.port, '127.0.0.1');
    assert.is((await rejects(once(late, 'connect'))).code, 'ECONNREFUSED');
    while (
      (await server.query("SELECT FROM pg_stat_activity WHERE usename = 'trusted'")).length > 0
    );
  });

  test('stop: does not wait longer than the grace time for a pipeline', async () => {
    const listener = await startTestListener({
      upstream: server.url,
      run: ({ client, upstream }) =>
        Promise.all([once(client, 'close'), once(upstream, 'close')]).then(() => undefined),
    });
    const client = await connectPg(listener.url('trusted', ''));
    await listener.stop(50);
    assert.ok(listener.pairs[0]?.client.destroyed && listener.pairs[0].upstream.destroyed);
    await client.end().catch(() => undefined);
  });

  test('survives a pipeline that fails', async () => {
    const listener = await startTestListener({
      upstream: server.url,
      run: () => Promise.reject(new Error('broken step')),
    });
    const client = await connectPg(listener.url('trusted', ''));
    assert.ok(await rejects(client.query('SELECT 1')));
    assert.match(listener.log.join(''), 'broken step');
    const again = await connectPg(listener.url('trusted', ''));
    await again.end().catch(() => undefined);
    await listener.stop();
  });
});
