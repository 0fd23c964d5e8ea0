/** TLS on both sides of the listener: requested, refused, verified, and never mixed with plain text. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import pg from 'pg';
import { StartupStream } from '../../src/client-connection/startup-stream.ts';
import { backendLimits } from '../../src/wire/limits.ts';
import { sslRequest, startupMessage } from '../../src/wire/startup.ts';
import type { Certificate, LoginServer } from '../helpers/login-server.ts';
import { createCertificate, psql, startLoginServer } from '../helpers/login-server.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { TestListener } from '../helpers/test-listener.ts';
import { connectRaw, startTestListener } from '../helpers/test-listener.ts';

const gssRequest = Buffer.from('0000000804d21630', 'hex');

suite('proxy: encryption', (test) => {
  let server: LoginServer;
  let own: Certificate;
  let directory: string;
  const listeners: TestListener[] = [];
  const listener = async (query: string, tls?: Certificate) => {
    const started = await startTestListener({
      upstream: `${server.url}${query}`,
      ...(tls ? { tls } : {}),
    });
    listeners.push(started);
    return started;
  };
  test.before(async () => {
    server = await startLoginServer();
    directory = await mkdtemp(join(tmpdir(), 'stage-tls-'));
    own = await createCertificate(directory, 'front');
  });
  test.afterEach(async () => {
    await Promise.all(listeners.splice(0).map((each) => each.stop()));
  });
  test.after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const encrypted = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

  for (const [query, user, answer] of [
    ['?sslmode=disable', 'scrammed', 'f'],
    ['?sslmode=disable', 'encrypted', /no pg_hba.conf entry/],
    ['?sslmode=allow', 'scrammed', 'f'],
    ['?sslmode=allow', 'encrypted', 't'],
    ['?sslmode=prefer', 'scrammed', 't'],
    ['?sslmode=prefer', 'unencrypted', 'f'],
    ['', 'scrammed', 't'],
    ['?sslmode=require', 'scrammed', 't'],
    ['?sslmode=require', 'unencrypted', /no pg_hba.conf entry/],
    ['?sslmode=verify-ca&sslrootcert=OWN', 'scrammed', /cannot be reached/],
    ['?sslmode=verify-ca&sslrootcert=SERVER', 'scrammed', 't'],
    [
      '?sslmode=verify-full&sslrootcert=SERVER',
      'scrammed',
      /cannot be reached: ERR_TLS_CERT_ALTNAME_INVALID/,
    ],
    ['?sslmode=verify-full&sslrootcert=SERVER&host=localhost', 'scrammed', 't'],
    ['?sslmode=verify-full', 'scrammed', /cannot be reached: DEPTH_ZERO_SELF_SIGNED_CERT/],
  ] as const) {
    test(`upstream ${query || '(no sslmode)'} as ${user}`, async () => {
      const files = query
        .replace('OWN', own.certFile)
        .replace('SERVER', server.certificate.certFile);
      const { url } = await listener(files);
      const { out, err } = await psql(url(user, user), encrypted);
      if (typeof answer === 'string') assert.is(out, answer, err);
      else assert.match(err, answer, err);
    });
  }

  test('an upstream without encryption: require fails, prefer goes on', async () => {
    const plain = await startTestListener({ upstream: `${server.url}?sslmode=disable` });
    listeners.push(plain);
    const behind = async (mode: string) => {
      const upstream = `postgresql://x@127.0.0.1:${plain.port}/postgres?sslmode=${mode}`;
      const started = await startTestListener({ upstream });
      listeners.push(started);
      return psql(started.url('trusted', ''), 'SELECT 1');
    };
    assert.match((await behind('require')).err, /does not support SSL, but sslmode is require/);
    // The login reaches the listener behind, which knows no such session.
    assert.match((await behind('prefer')).err, /names no session/);
  });

  test('answers clients that want encryption, and those that do not', async () => {
    const { url, port } = await listener('?sslmode=disable', own);
    for (const mode of ['disable', 'allow', 'prefer', 'require']) {
      const { out, err } = await psql(`${url('hashed', 'hashed')}&sslmode=${mode}`, 'SELECT 1');
      assert.is(out, '1', `${mode}: ${err}`);
    }
    const root = `sslmode=verify-full&sslrootcert=${own.certFile}`;
    assert.is((await psql(`${url('scrammed', 'scrammed')}&${root}`, 'SELECT 1')).out, '1');
    const client = new pg.Client({
      connectionString: url('scrammed', 'scrammed'),
      ssl: { ca: own.cert, servername: 'localhost' },
    });
    await client.connect();
    assert.equal((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
    await client.end();
    assert.ok(port > 0);
  });

  test('refuses encryption without a certificate', async () => {
    const { url } = await listener('');
    assert.is((await psql(`${url('hashed', 'hashed')}&sslmode=prefer`, 'SELECT 1')).out, '1');
    const { err } = await psql(`${url('hashed', 'hashed')}&sslmode=require`, 'SELECT 1');
    assert.match(err, /server does not support SSL/);
  });

  test('hands over the encrypted socket', async () => {
    const { url, pairs } = await listener('?sslmode=require', own);
    await psql(`${url('trusted', '')}&sslmode=require`, 'SELECT 1');
    assert.ok('encrypted' in (pairs[0]?.client ?? {}));
    assert.ok('encrypted' in (pairs[0]?.upstream ?? {}));
  });

  test('large results come through both encryptions whole', async () => {
    const { url } = await listener('?sslmode=require', own);
    const statement =
      "SELECT md5(string_agg(v, '')) FROM (SELECT repeat(i::text, 100) v FROM generate_series(1, 20000) i) t";
    const rows = 'SELECT repeat(i::text, 100) FROM generate_series(1, 20000) i';
    const target = `${url('trusted', '')}&sslmode=require`;
    const [sum, all] = await Promise.all([
      psql(target, statement),
      psql(target, `SELECT md5(x) FROM (${rows}) t(x)`),
    ]);
    assert.is(sum.out.length, 32);
    assert.is(all.out.split('\n').length, 20_000);
  });

  test('channel binding: withheld, explained, or passed on where both show one certificate', async () => {
    const different = await listener('?sslmode=require', own);
    const target = `${different.url('scrammed', 'scrammed')}&sslmode=require`;
    const prefer = await psql(target, 'SELECT 1');
    assert.match(prefer.err, /channel binding does not reach through the proxy/);
    assert.match(prefer.err, /HINT: {2}Connect with channel_binding=disable/);
    assert.is((await psql(`${target}&channel_binding=disable`, 'SELECT 1')).out, '1');
    const demanded = await psql(`${target}&channel_binding=require`, 'SELECT 1');
    assert.match(demanded.err, /channel binding/);
    const plainUpstream = await listener('?sslmode=disable', own);
    const could = `${plainUpstream.url('scrammed', 'scrammed')}&sslmode=require`;
    assert.is((await psql(could, 'SELECT 1')).out, '1');
    const same = await listener('?sslmode=require', server.certificate);
    const bound = `${same.url('scrammed', 'scrammed')}&sslmode=require&channel_binding=require`;
    assert.is((await psql(bound, 'SELECT 1')).out, '1');
    const plainClient = `${same.url('scrammed', 'scrammed')}&sslmode=disable`;
    assert.is((await psql(plainClient, 'SELECT 1')).out, '1');
  });

  test('encryption without asking first, by its protocol name only', async () => {
    const { port, session } = await listener('', own);
    const login = startupMessage([
      ['user', 'trusted'],
      ['database', 'postgres'],
      ['service_session', session.id],
    ]);
    const direct = async (protocols: string[]) => {
      const socket = connectTls({
        port,
        host: '127.0.0.1',
        ca: own.cert,
        servername: 'localhost',
        ALPNProtocols: protocols,
      });
      await once(socket, 'secureConnect');
      socket.write(login);
      const stream = new StartupStream(socket, backendLimits(), AbortSignal.timeout(10_000));
      const { type } = await stream.next();
      socket.destroy();
      return String.fromCharCode(type);
    };
    assert.is(await direct(['postgresql']), 'R');
    assert.ok(await rejects(direct(['http/1.1'])));
    assert.ok(await rejects(direct([])));
  });

  test('never reads what was sent behind the request for encryption', async () => {
    const login = startupMessage([
      ['user', 'trusted'],
      ['database', 'postgres'],
    ]);
    for (const tls of [own, undefined]) {
      const { port } = await listener('', tls);
      for (const request of [sslRequest, gssRequest]) {
        const client = await connectRaw(port, Buffer.concat([request, login]));
        const { types, sqlstate } = await client.readToEnd();
        assert.is(types, 'E');
        assert.is(sqlstate, '08P01');
      }
    }
  });

  test('answers each kind of request once', async () => {
    const { port } = await listener('');
    for (const requests of [
      [sslRequest, sslRequest],
      [gssRequest, gssRequest],
      [gssRequest, sslRequest, gssRequest],
    ]) {
      const socket = connect(port, '127.0.0.1');
      let heard = '';
      socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
      for (const [at, request] of requests.entries()) {
        socket.write(request);
        while (heard.length <= at && !socket.closed)
          await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      }
      socket.destroy();
      assert.match(heard, /^N{1,2}E/);
      assert.match(heard, /08P01/);
    }
  });

  test('a client that gives up in the middle of the handshake harms nobody', async () => {
    const { port, url } = await listener('', own);
    for (const bytes of [Buffer.alloc(0), Buffer.from('160301', 'hex'), Buffer.from('not TLS')]) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(sslRequest);
      await once(socket, 'data');
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
    }
    assert.is((await psql(`${url('trusted', '')}&sslmode=require`, 'SELECT 1')).out, '1');
  });
});
