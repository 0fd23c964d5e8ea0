/** Requests that no honest client sends: slow, ambiguous, or floods. Others are served meanwhile. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { RestServer } from '../../src/daemon/rest-server.ts';
import { startRestServer } from '../../src/daemon/rest-server.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, suite } from '../helpers/suite.ts';

const head = 'Host: localhost\r\n';

suite('daemon: hostile HTTP', (test) => {
  let server: RestServer;
  const sockets: Socket[] = [];
  const heard: string[] = [];
  test.before(async () => {
    const limits = {
      headersTimeout: 500,
      requestTimeout: 1000,
      connectionsCheckingInterval: 50,
    };
    server = await startRestServer(
      (request, response) => {
        heard.push(`${request.method} ${request.url}`);
        request.resume();
        request.on('end', () => response.end(request.url));
      },
      { host: '127.0.0.1', port: 0 },
      limits,
    );
  });
  test.beforeEach(() => {
    heard.length = 0;
  });
  test.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop(0);
  });

  /** Sends a text. Returns everything that arrives until the server closes. */
  async function say(text: string): Promise<string> {
    const socket = await open();
    const answer: string[] = [];
    socket.on('data', (chunk) => answer.push(String(chunk)));
    socket.write(text);
    await once(socket, 'close');
    return answer.join('');
  }

  async function open(port = server.port): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  const served = async () => {
    const url = `http://127.0.0.1:${server.port}`;
    assert.is((await callHttp(url, 'GET', '/honest')).text, '/honest');
  };

  test('a head that never ends is closed with 408', async () => {
    const slow = say(`GET /slow HTTP/1.1\r\n${head}X-More: `);
    await served();
    assert.match(await slow, /^HTTP\/1\.1 408 /);
    assert.equal(heard, ['GET /honest']);
  });

  test('a body that never ends is closed', async () => {
    const slow = say(`POST /slow HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\nx`);
    await served();
    assert.not.match(await slow, /200/);
  });

  const ambiguous: Record<string, string> = {
    'two lengths': `POST / HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    'a length and chunks': `POST / HTTP/1.1\r\n${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n${head}\r\n`,
    'chunks that are not the last coding': `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    'a header name with a space': `GET / HTTP/1.1\r\nHost : localhost\r\n\r\n`,
    'a line feed alone': `GET / HTTP/1.1\nHost: localhost\n\n`,
    'no host': 'GET / HTTP/1.1\r\n\r\n',
    'a control character in a header': `GET / HTTP/1.1\r\n${head}X: a\0b\r\n\r\n`,
    'another protocol': 'SSH-2.0-OpenSSH_9.0\r\n\r\n',
  };
  for (const [name, text] of Object.entries(ambiguous)) {
    test(`${name}: 400, and nothing of it is served`, async () => {
      assert.match(await say(text), /^HTTP\/1\.1 400 /);
      assert.equal(
        heard.filter((line) => line.includes('smuggled')),
        [],
      );
      await served();
    });
  }

  test('a flood of headers: 431', async () => {
    const flood = Array.from({ length: 2000 }, (_, index) => `X-${index}: ${'x'.repeat(20)}\r\n`);
    assert.match(await say(`GET / HTTP/1.1\r\n${head}${flood.join('')}\r\n`), /^HTTP\/1\.1 431 /);
    assert.equal(heard, []);
  });

  test('requests in one packet are answered in order', async () => {
    const requests = ['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\n${head}\r\n`);
    const last = `GET /4 HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
    const answer = await say(requests.join('') + last);
    assert.equal(answer.match(/^\/\d/gm), ['/1', '/2', '/3', '/4']);
  });

  test('connections that say nothing make room for those that do', async () => {
    const patient = await startRestServer(
      (_, response) => response.end('served'),
      { host: '127.0.0.1', port: 0 },
      { headersTimeout: 0, requestTimeout: 0 },
    );
    try {
      const oldest = await open(patient.port);
      const gone = once(oldest.resume(), 'close');
      for (let count = 0; count < 500; count += 1) await open(patient.port);
      await gone;
      const { text } = await callHttp(`http://127.0.0.1:${patient.port}`, 'GET', '/');
      assert.is(text, 'served');
    } finally {
      await patient.stop(0);
    }
  });
});
