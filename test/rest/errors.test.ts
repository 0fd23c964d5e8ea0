/** Every error has one form; requests have ids; unknown routes are 404 or 405. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('rest: errors and request ids', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  test('an unknown path answers 404 not_found', async () => {
    for (const path of ['/', '/nothing', '/Sessions', '/sessions/a/b/c', '/%zz']) {
      const { status, body } = await rest.call('GET', path);
      assert.is(status, 404, path);
      assert.is(body.error, 'not_found', path);
      assert.type(body.message, 'string');
      assert.type(body.request_id, 'string');
    }
  });

  test('says in plain words what is wrong with a parameter', async () => {
    for (const [path, message] of [
      ['/audit?project_id=shop&limit=5000', 'limit: must be at most 1000'],
      ['/audit?project_id=shop&limit=x', 'limit: must be a whole number'],
      ['/audit', 'project_id: is required'],
      [
        '/audit?project_id=shop&operation=MERGE',
        'operation: must be one of INSERT, UPDATE, DELETE',
      ],
    ] as const) {
      const { status, body } = await rest.call('GET', path);
      assert.equal([status, body.message], [400, message], path);
    }
    const { body } = await rest.call('POST', '/sessions', { json: { project_id: 7 } });
    assert.is(body.message, 'project_id: must be of type string');
  });

  test('another method answers 405 and names the allowed ones', async () => {
    for (const [method, path, allowed] of [
      ['PUT', '/sessions', 'GET'],
      ['DELETE', '/sessions', 'POST'],
      ['GET', '/sessions/x/propose', 'POST'],
      ['POST', '/health', 'GET'],
      ['DELETE', '/audit/aud_1', 'GET'],
      ['PATCH', '/sessions/x', 'DELETE'],
      ['TRACE', '/sessions', 'GET'],
      ['PROPFIND', '/sessions', 'GET'],
    ] as const) {
      const { status, headers, body } = await rest.call(method, path);
      assert.is(status, 405, `${method} ${path}`);
      assert.is(body.error, 'method_not_allowed');
      assert.ok(headers.allow?.includes(allowed), `${method} ${path}: ${headers.allow}`);
    }
  });

  test('HEAD answers like GET without a body', async () => {
    const { status, text } = await rest.call('HEAD', '/sessions');
    assert.is(status, 200);
    assert.is(text, '');
  });

  test('no answer allows other sites to read it', async () => {
    const { headers } = await rest.call('OPTIONS', '/sessions');
    assert.is(headers['access-control-allow-origin'], undefined);
    assert.match(headers.allow ?? '', /GET/);
  });

  test('a request id is taken, echoed and logged', async () => {
    const { headers, body } = await rest.call('GET', '/nothing', {
      headers: { 'x-request-id': 'build-17/4' },
    });
    assert.is(headers['x-request-id'], 'build-17/4');
    assert.is(body.request_id, 'build-17/4');
    assert.ok(rest.logged.some((line) => JSON.parse(line).request_id === 'build-17/4'));
  });

  test('a request id that is too long or not visible is replaced', async () => {
    for (const id of ['x'.repeat(129), 'a b', 'caf\u00e9']) {
      const { headers } = await rest.call('GET', '/livez', { headers: { 'x-request-id': id } });
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    }
    const { headers } = await rest.call('GET', '/livez');
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
  });
});

suite('rest: unforeseen errors', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  test('are logged and not shown', async () => {
    await rest.database.query('ALTER TABLE stage.session RENAME TO hidden_name');
    const { status, body } = await rest.call('GET', '/sessions');
    assert.is(status, 500);
    assert.is(body.error, 'internal');
    assert.not.match(JSON.stringify(body), /session"|relation|hidden_name/);
    const line = rest.logged
      .map((text) => JSON.parse(text))
      .find((entry) => entry.level === 'error');
    assert.is(line.request_id, body.request_id);
    assert.is(line.code, '42P01');
  });
});

suite('rest: upstream not ready', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({
      upstream: { ready: false, error: 'connect ECONNREFUSED', hint: 'Start PostgreSQL.' },
    });
  });
  test.after(() => rest.stop());

  test('everything about sessions and audit answers 503 with Retry-After', async () => {
    for (const [method, path] of [
      ['POST', '/sessions'],
      ['GET', '/sessions'],
      ['GET', '/sessions/x'],
      ['POST', '/sessions/x/approve'],
      ['GET', '/sessions/x/diff'],
      ['GET', '/audit?project_id=p'],
      ['GET', '/readyz'],
    ] as const) {
      const { status, headers, body } = await rest.call(method, path);
      assert.is(status, 503, path);
      assert.is(body.error, 'upstream_unavailable', path);
      assert.match(body.message, /ECONNREFUSED/);
      assert.is(body.hint, 'Start PostgreSQL.');
      assert.match(headers['retry-after'] ?? '', /^\d+$/);
    }
  });

  test('health says degraded, disconnected and why', async () => {
    const { status, body } = await rest.call('GET', '/health');
    assert.is(status, 503);
    assert.equal(body, {
      status: 'degraded',
      upstream: 'disconnected',
      error: 'connect ECONNREFUSED',
    });
  });

  test('the process is alive, and its metrics and description can be read', async () => {
    assert.is((await rest.call('GET', '/livez')).status, 200);
    assert.is((await rest.call('GET', '/openapi.json')).status, 200);
    const { status, text } = await rest.call('GET', '/metrics');
    assert.is(status, 200);
    assert.match(text, /^service_upstream_up 0$/m);
  });
});
