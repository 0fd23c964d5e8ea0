/** GET /health, /livez, /readyz, /metrics, /info, /openapi.json. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('rest: operations', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  const metric = async (name: string) => {
    const { text } = await rest.call('GET', '/metrics');
    const line = text.split('\n').find((entry) => entry.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length));
  };

  test('health of a healthy service', async () => {
    const { status, body } = await rest.call('GET', '/health');
    assert.is(status, 200);
    assert.equal(body, { status: 'ok', upstream: 'connected' });
  });

  test('probes', async () => {
    assert.equal((await rest.call('GET', '/livez')).body, { status: 'ok' });
    assert.equal((await rest.call('GET', '/readyz')).body, { status: 'ok' });
  });

  test('all series are there from the start', async () => {
    const { status, headers, text } = await rest.call('GET', '/metrics');
    assert.is(status, 200);
    assert.match(headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
    for (const line of [
      '# TYPE service_sessions_active gauge',
      'service_sessions_active 0',
      '# TYPE service_mutations_total counter',
      'service_mutations_total{status="approved"} 0',
      'service_mutations_total{status="rejected"} 0',
      '# TYPE service_proxy_queries_total counter',
      'service_proxy_queries_total{type="read"} 0',
      'service_proxy_queries_total{type="write"} 0',
      'service_upstream_up 1',
      'service_build_info{version="0.0.0-test"} 1',
      'service_proxy_connections 0',
      'service_conflicts_total 0',
      'service_log_lines_lost_total 0',
    ]) {
      assert.ok(text.split('\n').includes(line), `${line}\n${text}`);
    }
  });

  test('service_sessions_active counts active sessions at the moment', async () => {
    const id = await rest.newSession();
    await rest.newSession();
    assert.is(await metric('service_sessions_active'), 2);
    await rest.call('POST', `/sessions/${id}/propose`);
    assert.is(await metric('service_sessions_active'), 1);
  });

  test('service_proxy_queries_total counts by type', async () => {
    rest.metrics.query('read');
    rest.metrics.query('write');
    rest.metrics.query('write');
    assert.is(await metric('service_proxy_queries_total{type="read"}'), 1);
    assert.is(await metric('service_proxy_queries_total{type="write"}'), 2);
  });

  test('service_mutations_total counts the mutations of approved and rejected sessions', async () => {
    for (const [outcome, status, writes] of [
      ['approve', 'approved', 2],
      ['reject', 'rejected', 1],
    ] as const) {
      const id = await rest.newSession();
      for (let count = 1; count <= writes; count += 1) {
        await rest.write(id, `UPDATE products SET stock = stock + 1 WHERE sku = 'MUG-01'`);
      }
      await rest.call('POST', `/sessions/${id}/propose`);
      assert.is((await rest.call('POST', `/sessions/${id}/${outcome}`)).status, 200);
      assert.is((await rest.call('POST', `/sessions/${id}/${outcome}`)).status, 409);
      assert.is(await metric(`service_mutations_total{status="${status}"}`), writes);
    }
  });

  test('service_conflicts_total counts approvals refused for a conflict', async () => {
    const id = await rest.newSession();
    await rest.write(id, `UPDATE products SET stock = 1 WHERE sku = 'TEE-M'`);
    await rest.database.query(`UPDATE products SET stock = 2 WHERE sku = 'TEE-M'`);
    await rest.call('POST', `/sessions/${id}/propose`);
    assert.is((await rest.call('POST', `/sessions/${id}/approve`)).body.error, 'conflict_detected');
    assert.is(await metric('service_conflicts_total'), 1);
  });

  test('info tells where clients connect', async () => {
    assert.equal((await rest.call('GET', '/info')).body, {
      version: '0.0.0-test',
      proxy: { host: '127.0.0.1', port: 5433 },
      database: rest.database.name,
      embedded: null,
      postgresql: null,
    });
  });
});

suite('rest: openapi', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  test('names every endpoint of the interface', async () => {
    const { body } = await rest.call('GET', '/openapi.json');
    assert.match(body.openapi, /^3\.1\./);
    const operations = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.equal(operations.sort(), [
      'DELETE /sessions/{id}',
      'DELETE /sessions/{id}/connections',
      'GET /audit',
      'GET /audit/head',
      'GET /audit/verify',
      'GET /audit/{id}',
      'GET /events',
      'GET /health',
      'GET /info',
      'GET /livez',
      'GET /metrics',
      'GET /openapi.json',
      'GET /policy',
      'GET /policy/history',
      'GET /readyz',
      'GET /sessions',
      'GET /sessions/{id}',
      'GET /sessions/{id}/card',
      'GET /sessions/{id}/comments',
      'GET /sessions/{id}/conflicts',
      'GET /sessions/{id}/connections',
      'GET /sessions/{id}/decisions',
      'GET /sessions/{id}/diff',
      'GET /sessions/{id}/diff/changes',
      'GET /sessions/{id}/diff/outline',
      'GET /sessions/{id}/diff/steps',
      'GET /sessions/{id}/events',
      'GET /sessions/{id}/mutations',
      'GET /sessions/{id}/policy',
      'GET /tokens',
      'GET /web/logins',
      'GET /whoami',
      'POST /sessions',
      'POST /sessions/{id}/approve',
      'POST /sessions/{id}/comments',
      'POST /sessions/{id}/propose',
      'POST /sessions/{id}/rehearse',
      'POST /sessions/{id}/reject',
      'POST /sessions/{id}/reopen',
      'POST /sessions/{id}/resolve',
      'POST /sessions/{id}/revert',
      'POST /sessions/{id}/review',
      'POST /sessions/{id}/split',
      'POST /sessions/{id}/unstage',
      'POST /web/links',
      'POST /web/login',
      'POST /web/logins/revoke',
      'POST /web/logout',
      'PUT /policy',
    ]);
  });

  test('every reference in it leads somewhere, and every operation has a name of its own', async () => {
    const { text, body } = await rest.call('GET', '/openapi.json');
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name ?? '',
    );
    assert.ok(references.includes('Session') && references.includes('Error'));
    for (const name of references) assert.ok(body.components.schemas[name], name);
    assert.not.match(text, /\$defs/);
    const names = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap(
      (methods) => Object.values(methods).map(({ operationId }) => operationId),
    );
    assert.is(new Set(names).size, names.length);
  });

  test('tells limits, enumerations and what is required', async () => {
    const { body } = await rest.call('GET', '/openapi.json');
    const parameters = body.paths['/audit'].get.parameters;
    const named = (name: string) =>
      parameters.find((parameter: { name: string }) => parameter.name === name);
    assert.is(named('project_id').required, true);
    assert.is(named('session_id').required, false);
    assert.equal(named('limit').schema, {
      default: 100,
      type: 'integer',
      minimum: 0,
      maximum: 1000,
    });
    assert.equal(named('operation').schema.enum, ['INSERT', 'UPDATE', 'DELETE']);
    assert.is(named('since').schema.format, 'date-time');
    assert.ok(
      body.paths['/sessions/{id}/approve'].post.responses['409'].description.includes(
        'conflict_detected',
      ),
    );
    assert.ok(body.paths['/sessions'].post.responses['201']);
  });
});
