/** An upstream that breaks the protocol ends only its own connection. */
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import {
  authenticationOk,
  authenticationSasl,
  backendKeyData,
  commandComplete,
  errorResponse,
  noticeResponse,
  parameterStatus,
  readyForQuery,
} from '../../src/wire/backend-messages.ts';
import { errorFields } from '../../src/wire/error-fields.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import { startupMessage } from '../../src/wire/startup.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { TestListener } from '../helpers/test-listener.ts';
import { connectRaw, startTestListener } from '../helpers/test-listener.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const settings = Buffer.concat([
  parameterStatus('default_transaction_read_only', 'on'),
  parameterStatus('client_encoding', 'UTF8'),
  parameterStatus('standard_conforming_strings', 'on'),
]);
const key = backendKeyData(7, Buffer.from('0007', 'latin1'));
const ready = readyForQuery('I');
/** The result of the one query during login. */
const row = Buffer.concat([hex('0001 00000006'), Buffer.from('origin')]);
const answered = Buffer.concat([
  new MessageWriter().raw(hex('0000')).message(backend.rowDescription),
  new MessageWriter().raw(row).message(backend.dataRow),
  commandComplete('SHOW'),
  ready,
]);
const notice = noticeResponse(errorFields('NOTICE', { sqlstate: '00000', message: 'hello' }));
const full = errorResponse(
  errorFields('FATAL', { sqlstate: '53300', message: 'sorry, too many clients already' }),
);
const request = (kind: number) => new MessageWriter().int32(kind).message(backend.authentication);

suite('proxy: hostile upstream', (test) => {
  let upstream: Server;
  let listener: TestListener;
  const script: { answer: (socket: Socket) => void } = { answer: () => undefined };
  const open = new Set<Socket>();
  test.before(async () => {
    upstream = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
      socket.once('data', () => script.answer(socket));
    });
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    listener = await startTestListener({
      upstream: `postgresql://x@127.0.0.1:${port}/d?sslmode=disable`,
      settings: { loginTimeoutMs: 2000 },
      maxConnections: 1,
    });
  });
  test.after(async () => {
    await listener.stop();
    for (const socket of open) socket.destroy();
    upstream.close();
  });

  test.afterEach(async () => {
    // `once` of node:events would throw the reset that some of these tests provoke
    for (const socket of open) await new Promise((resolve) => socket.once('close', resolve));
  });

  /** Logs in against an upstream that responds as given. Returns what the client received. */
  async function logIn(answer: Buffer | ((socket: Socket) => void), port = listener.port) {
    script.answer = typeof answer === 'function' ? answer : (socket) => socket.write(answer);
    const startup = startupMessage([
      ['user', 'u'],
      ['database', 'd'],
      ['service_session', listener.session.id],
    ]);
    return connectRaw(port, startup);
  }

  for (const [what, answer, types, sqlstate] of [
    ['an error that never ends', hex('45 00000007 53 4500'), 'E', '08006'],
    ['an error of 7 bytes without an end', hex('45 00000006 5341'), 'E', '08006'],
    ['an error without a SQLSTATE', hex('45 00000008 4d 7800 00'), 'E', '08006'],
    ['a message type that does not exist', hex('21 00000004'), 'E', '08006'],
    ['a length below 4', hex('52 00000003'), 'E', '08006'],
    ['a message longer than any login needs', hex('45 7fffffff'), 'E', '08006'],
    ['rows before the login', commandComplete('SELECT 1'), 'E', '08006'],
    ['Kerberos', request(7), 'E', '28000'],
    ['SSPI', request(9), 'E', '28000'],
    ['an unknown way to log in', request(99), 'E', '28000'],
    [
      'no SASL mechanism that can be relayed',
      authenticationSasl(['SCRAM-SHA-256-PLUS', 'OAUTHBEARER']),
      'E',
      '28000',
    ],
    ['a SASL list without an end', hex('52 0000000a 0000000a 4100'), 'E', '08006'],
    ['nothing but settings', Buffer.concat([authenticationOk, settings]), 'E', '57014'],
    ['silence', Buffer.alloc(0), 'E', '57014'],
    [
      'a setting that is not kept',
      Buffer.concat([
        authenticationOk,
        settings,
        parameterStatus('client_encoding', 'SJIS'),
        key,
        ready,
      ]),
      'E',
      '08006',
    ],
    ['settings that are not reported', Buffer.concat([authenticationOk, key, ready]), 'E', '08006'],
    [
      'a transaction that runs already',
      Buffer.concat([authenticationOk, settings, key, readyForQuery('T')]),
      'E',
      '08006',
    ],
    [
      'rows instead of settings',
      Buffer.concat([authenticationOk, commandComplete('SELECT 1')]),
      'E',
      '08006',
    ],
    [
      'no answer to a question',
      Buffer.concat([authenticationOk, settings, key, ready, ready]),
      'E',
      '08006',
    ],
    [
      'an error for an answer',
      Buffer.concat([authenticationOk, settings, key, ready, full]),
      'RSSSE',
      '53300',
    ],
    [
      'an answer inside of a transaction',
      Buffer.concat([authenticationOk, settings, key, ready, readyForQuery('T')]),
      'E',
      '08006',
    ],
    ['too many clients', full, 'E', '53300'],
    [
      'too many clients after the password',
      Buffer.concat([authenticationOk, settings, full]),
      'RSSSE',
      '53300',
    ],
    ['a notice and too many clients', Buffer.concat([notice, full]), 'NE', '53300'],
  ] as const) {
    test(`gives ${what}`, async () => {
      const heard = await (await logIn(answer)).readToEnd();
      assert.is(heard.types, types);
      assert.is(heard.sqlstate, sqlstate);
    });
  }

  test('is let go when the client vanishes in the middle of its login', async () => {
    const client = await logIn(authenticationSasl(['SCRAM-SHA-256']));
    assert.is(String.fromCharCode((await client.stream.next()).type), 'R');
    const [upstreamSide] = open;
    client.socket.destroy();
    await once(upstreamSide as Socket, 'close');
    assert.is(open.size, 0);
  });

  test('closes at once', async () => {
    const heard = await (await logIn((socket) => socket.destroy())).readToEnd();
    assert.is(heard.sqlstate, '08006');
  });

  test('closes after the password', async () => {
    const client = await logIn((socket) => {
      socket.end(authenticationOk);
    });
    assert.is((await client.readToEnd()).sqlstate, '08006');
  });

  test('answers the request for encryption with more than one byte, or another one', async () => {
    const { port } = upstream.address() as AddressInfo;
    const encrypting = await startTestListener({
      upstream: `postgresql://x@127.0.0.1:${port}/d?sslmode=require`,
      findSession: async () => listener.session,
    });
    for (const answer of [
      Buffer.concat([Buffer.from('S'), full]),
      Buffer.concat([Buffer.from('N'), authenticationOk]),
      full,
    ]) {
      const heard = await (await logIn(answer, encrypting.port)).readToEnd();
      assert.is(heard.types, 'E');
      assert.is(heard.sqlstate, '08006');
    }
    await encrypting.stop();
  });

  test('sends notices without end', async () => {
    const { port } = upstream.address() as AddressInfo;
    // the limit of messages has to apply before that of time, however busy the machine is
    const patient = await startTestListener({
      upstream: `postgresql://x@127.0.0.1:${port}/d?sslmode=disable`,
      settings: { loginTimeoutMs: 20_000 },
      findSession: async () => listener.session,
    });
    const client = await logIn((socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(notice));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    }, patient.port);
    assert.is((await client.readToEnd()).sqlstate, '08006');
    await patient.stop();
  });

  test('sends no key: the client gets one all the same, and a login goes through afterwards', async () => {
    const client = await logIn(
      Buffer.concat([authenticationOk, notice, settings, ready, answered]),
    );
    let types = '';
    while (!types.endsWith('Z')) types += String.fromCharCode((await client.stream.next()).type);
    assert.is(types, 'RNSSSKZ');
    client.socket.destroy();
  });
});
