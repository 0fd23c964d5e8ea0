/** The client with unexpected servers: each results in one sentence and the right exit code. */
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '../../src/client/api-client.ts';
import type { StageError } from '../../src/errors.ts';
import { stringifyJson } from '../../src/model/json.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const id = `sess_${'0'.repeat(32)}`;

interface Peer {
  readonly url: string;
  readonly seen: {
    readonly method: string;
    readonly url: string;
    readonly authorization: string;
  }[];
  close(): Promise<void>;
}

async function startPeer(answer: (response: ServerResponse) => void): Promise<Peer> {
  const seen: Peer['seen'] = [];
  const server: Server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, authorization: headers.authorization ?? '' });
    request.resume().once('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Requests a session from such a server and returns the resulting error. */
async function failing(answer: (response: ServerResponse) => void): Promise<StageError> {
  const peer = await startPeer(answer);
  const api = new ApiClient({ server: peer.url, token: null });
  try {
    return await rejects<StageError>(api.getSession(id));
  } finally {
    await api.close();
    await peer.close();
  }
}

const reply =
  (status: number, body: string, type = 'application/json') =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

suite('client transport', (test) => {
  test('turns an error body back into the error it was made from', async () => {
    const body =
      '{"error":"invalid_transition","message":"it is approved","hint":"h","request_id":"r1","big":9007199254740993}';
    const error = await failing(reply(409, body));
    assert.is(error.code, 'invalid_transition');
    assert.is(error.exit, 6);
    assert.is(error.message, 'it is approved');
    assert.is(error.hint, 'h');
    assert.is(stringifyJson(error.facts), '{"request_id":"r1","big":9007199254740993}');
  });

  const statuses: [number, string, number][] = [
    [400, 'invalid_request', 1],
    [401, 'unauthorized', 4],
    [403, 'forbidden', 4],
    [404, 'not_found', 5],
    [409, 'invalid_transition', 6],
    [412, 'digest_mismatch', 3],
    [418, 'internal', 1],
    [500, 'internal', 1],
    [503, 'upstream_unavailable', 7],
  ];
  for (const [status, code, exit] of statuses) {
    test(`takes ${status} without a known code as ${code}`, async () => {
      const bare = await failing(reply(status, '<html>', 'text/html'));
      assert.equal([bare.code, bare.exit], [code, exit]);
      const unknown = await failing(reply(status, '{"error":"new_code","message":"m"}'));
      assert.equal([unknown.code, unknown.message], [code, 'm']);
      assert.is(stringifyJson(unknown.facts), '{"error":"new_code"}');
    });
  }

  test('does not follow a redirect', async () => {
    const error = await failing((response) =>
      response.writeHead(302, { location: 'http://x' }).end(),
    );
    assert.is(error.exit, 7);
  });

  test('says so when the answer is not stage’s', async () => {
    for (const body of ['{}', 'hello', '', '[1', '{"session_id":"s","status":"odd"}']) {
      const error = await failing(reply(200, body));
      assert.equal([error.code, error.exit], ['server_unavailable', 7]);
    }
  });

  test('says so when the connection breaks', async () => {
    const early = await failing((response) => response.destroy());
    assert.equal([early.code, early.exit], ['server_unavailable', 7]);
    const late = await failing((response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{"session_id":', () => response.destroy());
    });
    assert.equal([late.code, late.exit], ['server_unavailable', 7]);
  });

  test('warns that a change may have happened when its answer is lost', async () => {
    const peer = await startPeer((response) => response.destroy());
    const api = new ApiClient({ server: peer.url, token: null });
    const error = await rejects<StageError>(api.propose(id));
    await api.close();
    await peer.close();
    assert.match(String(error.hint), /may have been carried out/);
    assert.is(peer.seen.length, 1);
  });

  test('shows the token, and keeps a path in front of its own', async () => {
    const peer = await startPeer(reply(200, '{"status":"ok","upstream":"connected"}'));
    const api = new ApiClient({ server: `${peer.url}/behind`, token: 'secret' });
    await api.health();
    await api.close();
    await peer.close();
    assert.equal(peer.seen, [
      { method: 'GET', url: '/behind/health', authorization: 'Bearer secret' },
    ]);
  });

  test('puts characters together that arrive in parts', async () => {
    const body = Buffer.from('{"status":"ok","upstream":"connected","error":"é日👍"}');
    const peer = await startPeer((response) => {
      response.writeHead(200);
      const parts = [...body].map((byte) => Buffer.of(byte));
      const next = () => {
        const part = parts.shift();
        if (part) response.write(part, () => setImmediate(next));
        else response.end();
      };
      next();
    });
    const api = new ApiClient({ server: peer.url, token: null });
    const { value, body: text } = await api.health();
    await api.close();
    await peer.close();
    assert.is(value.error, 'é日👍');
    assert.is(text, body.toString());
  });

  test('asks nobody about ids that cannot be', async () => {
    const api = new ApiClient({ server: 'http://127.0.0.1:1', token: null });
    for (const odd of ['..', 'sess_1', `${id}/approve`, `${id}?x`, '']) {
      assert.is((await rejects<StageError>(api.propose(odd))).code, 'session_not_found');
      assert.is((await rejects<StageError>(api.getAuditEntry(odd))).code, 'audit_entry_not_found');
    }
    await api.close();
  });
});
