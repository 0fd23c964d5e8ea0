/** Valid request bodies: JSON in UTF-8, an object, of bounded size and depth. */
import { connect } from 'node:net';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const json = { 'content-type': 'application/json' };

interface Body {
  readonly content: {
    readonly 'application/json': { readonly schema: { readonly additionalProperties?: boolean } };
  };
}

suite('rest: request bodies', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ maxBodyBytes: 10_000 });
  });
  test.after(() => rest.stop());

  const malformed: [string, string | Buffer][] = [
    ['broken JSON', '{"project_id": '],
    ['an array', '[]'],
    ['a string', '"text"'],
    ['null', 'null'],
    ['two objects', '{}{}'],
    ['bytes that are not UTF-8', Buffer.from('{"metadata": {"a": "\xff"}}', 'latin1')],
    ['a member given twice', '{"project_id": "a", "project_id": "b"}'],
    ['a member given twice in two spellings', '{"project_id": "a", "project\\u005fid": "b"}'],
    ['nesting beyond reason', `{"metadata": ${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`],
    ['nesting of arrays', `{"metadata": {"a": ${'['.repeat(4000)}${']'.repeat(4000)}}}`],
  ];
  for (const [name, raw] of malformed) {
    test(`refuses ${name}`, async () => {
      const { status, body } = await rest.call('POST', '/sessions', { raw, headers: json });
      assert.is(status, 400);
      assert.is(body.error, 'invalid_request');
    });
  }

  test('takes brackets, colons and commas inside of strings for what they are', async () => {
    const raw = '{"metadata": {"a": "}],:{[\\"", "b": [",", {"c": "\\\\"}]}, "project_id": "p,}"}';
    const { status, body } = await rest.call('POST', '/sessions', { raw, headers: json });
    assert.is(status, 201);
    assert.is(body.project_id, 'p,}');
    assert.equal(body.metadata, { a: '}],:{["', b: [',', { c: '\\' }] });
  });

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'application/json; charset=utf-16',
    'application/jsonx',
  ]) {
    test(`refuses content type ${JSON.stringify(type)}`, async () => {
      const { status, body } = await rest.call('POST', '/sessions', {
        raw: '{}',
        headers: { 'content-type': type },
      });
      assert.is(status, 415);
      assert.is(body.error, 'unsupported_media_type');
    });
  }

  test('refuses a compressed body', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' };
    assert.is((await rest.call('POST', '/sessions', { raw: '{}', headers })).status, 415);
  });

  test('refuses a large body by its announced length', async () => {
    const { status, body } = await rest.call('POST', '/sessions', {
      json: { metadata: { a: 'x'.repeat(20_000) } },
    });
    assert.is(status, 413);
    assert.is(body.error, 'payload_too_large');
  });

  test('refuses a large body that announces no length', async () => {
    const raw = JSON.stringify({ metadata: { a: 'x'.repeat(20_000) } });
    const answer = await sendChunked(rest.url, raw);
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /"error":"payload_too_large"/);
  });

  test('takes a body that announces no length', async () => {
    assert.match(
      await sendChunked(rest.url, '{"project_id": "chunked"}'),
      /^HTTP\/1\.1 201 [\s\S]*"project_id":"chunked"/,
    );
  });

  const mistaken: [path: string, body: object, member: string, meant: string][] = [
    ['/sessions', { projectid: 'shop' }, 'projectid', 'project_id'],
    ['/sessions', { project_id: 'shop', read: 'staged', meta: {} }, 'read', 'reads'],
    ['/sessions/ID/propose', { mesage: 'please' }, 'mesage', 'message'],
    ['/sessions/ID/approve', { approvedBy: 'ann' }, 'approvedBy', 'approved_by'],
    ['/sessions/ID/reject', { reasons: 'no' }, 'reasons', 'reason'],
    ['/sessions/ID/reopen', { message: 'more', msg: '' }, 'msg', 'message'],
    ['/sessions/ID/comments', { body: 'why?', tables: 'x' }, 'tables', 'table'],
    ['/sessions/ID/revert', { skip_change: true }, 'skip_change', 'skip_changed'],
  ];
  for (const [path, json, member, meant] of mistaken) {
    test(`refuses the unknown member ${member} of ${path}, and changes nothing`, async () => {
      const id = await rest.newSession();
      const { status, body } = await rest.call('POST', path.replace('ID', id), { json });
      assert.is(status, 400);
      assert.is(body.error, 'invalid_request');
      assert.match(body.message, `${member}: there is no such member`);
      assert.match(body.hint, `Did you mean ${meant}?`);
      const { body: after } = await rest.call('GET', `/sessions/${id}`);
      assert.equal([after.status, after.round], ['active', 0]);
    });
  }

  for (const member of ['foo', 'x', 'idempotency', '__proto__x', 'ZZZZZZZZZZ']) {
    test(`guesses nothing where no known member is near to ${member}`, async () => {
      const { status, body } = await rest.call('POST', '/sessions', { json: { [member]: 1 } });
      assert.equal([status, body.message], [400, `${member}: there is no such member`]);
      assert.not.match(body.hint, 'Did you mean');
    });
  }

  test('refuses __proto__ as a member, and takes any member inside of metadata', async () => {
    const raw = '{"__proto__": {"project_id": "p"}}';
    assert.is((await rest.call('POST', '/sessions', { raw, headers: json })).status, 400);
    const sent = { json: { metadata: { colour: 'red', project: 1 } } };
    const { status, body } = await rest.call('POST', '/sessions', sent);
    assert.equal([status, body.metadata], [201, { colour: 'red', project: 1 }]);
  });

  test('describes every body as closed', async () => {
    const { paths } = (await rest.call('GET', '/openapi.json')).body;
    for (const [path, { post }] of Object.entries<{ post?: { requestBody?: Body } }>(paths)) {
      const schema = post?.requestBody?.content['application/json'].schema;
      if (schema) assert.is(schema.additionalProperties, false, path);
    }
  });
});

/** Sends a body in chunks. Returns the whole response as text. */
function sendChunked(base: string, body: string): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
    socket.write('POST /sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n');
    socket.write('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  });
}
