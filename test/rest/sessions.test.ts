/** POST /sessions, GET /sessions, GET and DELETE /sessions/:id. */

import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const unknown = `sess_${'0'.repeat(32)}`;

suite('rest: create a session', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  test('answers 201 with every field and where it is', async () => {
    const { status, headers, body } = await rest.call('POST', '/sessions', {
      json: { project_id: 'shop', metadata: { ticket: 7 } },
    });
    assert.is(status, 201);
    assert.match(body.session_id, /^sess_[0-9a-f]{32}$/);
    assert.is(body.id, body.session_id);
    assert.is(headers.location, `/sessions/${body.session_id}`);
    assert.match(headers['content-type'] ?? '', /^application\/json/);
    assert.is(body.project_id, 'shop');
    assert.is(body.status, 'active');
    assert.equal(body.metadata, { ticket: 7 });
    assert.is(body.reads, 'production');
    assert.is(body.mutation_count, 0);
    assert.match(body.created_at, time);
  });

  test('needs no body, and no project: it is "default"', async () => {
    const { status, body } = await rest.call('POST', '/sessions');
    assert.is(status, 201);
    assert.is(body.project_id, 'default');
    assert.equal(body.metadata, {});
    assert.is((await rest.call('POST', '/sessions', { json: {} })).status, 201);
    assert.is(
      (await rest.call('POST', '/sessions', { json: { project_id: null, metadata: null } })).status,
      201,
    );
  });

  test('takes reads and conflict_scope', async () => {
    const { body } = await rest.call('POST', '/sessions', {
      json: { reads: 'staged', conflict_scope: 'column' },
    });
    assert.is(body.reads, 'staged');
    assert.is(body.conflict_scope, 'column');
  });

  test('keeps metadata as it was written: no number is rounded', async () => {
    const raw =
      '{"metadata": {"big": 9007199254740993, "pi": 3.14159265358979323846, "deep": [{"e": 1e400}]}}';
    const { status, text, body } = await rest.call('POST', '/sessions', {
      raw,
      headers: { 'content-type': 'application/json' },
    });
    assert.is(status, 201);
    assert.match(
      text,
      /"big": 9007199254740993, "pi": 3\.14159265358979323846, "deep": \[\{"e": 1e400\}\]/,
    );
    assert.match((await rest.call('GET', `/sessions/${body.id}`)).text, /9007199254740993/);
  });

  test('keeps a metadata member named __proto__ apart from the object’s prototype', async () => {
    const raw = '{"metadata": {"__proto__": {"polluted": true}}}';
    const { status, text, body } = await rest.call('POST', '/sessions', {
      raw,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    assert.is(status, 201);
    assert.is(body.project_id, 'default');
    assert.match(text, /"__proto__": \{"polluted": true\}/);
    assert.is(({} as { polluted?: boolean }).polluted, undefined);
  });

  const wrong: [string, unknown][] = [
    ['project_id', 5],
    ['project_id', ''],
    ['project_id', 'a\u0000b'],
    ['project_id', 'x'.repeat(201)],
    ['metadata', 'text'],
    ['metadata', []],
    ['metadata', 1],
    ['reads', 'everything'],
    ['conflict_scope', 'table'],
  ];
  for (const [name, value] of wrong) {
    test(`refuses ${name} ${JSON.stringify(value).slice(0, 30)}`, async () => {
      const { status, body } = await rest.call('POST', '/sessions', { json: { [name]: value } });
      assert.is(status, 400);
      assert.is(body.error, 'invalid_request');
      assert.match(body.message, new RegExp(`^${name}: `));
    });
  }
});

suite('rest: look at sessions', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  test('GET gives every field', async () => {
    const id = await rest.newSession({ project_id: 'shop', metadata: { a: 1 } });
    const { status, body } = await rest.call('GET', `/sessions/${id}`);
    assert.is(status, 200);
    assert.is(body.session_id, id);
    assert.is(body.id, id);
    assert.is(body.project_id, 'shop');
    assert.is(body.status, 'active');
    assert.is(body.mutation_count, 0);
    assert.equal(body.metadata, { a: 1 });
    assert.match(body.created_at, time);
    assert.match(body.updated_at, time);
    assert.not('proposed_at' in body);
    assert.not('approved_at' in body);
    assert.not('rejected_at' in body);
  });

  for (const id of [
    unknown,
    'sess_1',
    'x',
    "sess_'; DROP TABLE stage.session; --",
    'sess_%00',
    '%2e%2e',
    'a%2fb',
  ]) {
    test(`GET ${id} answers 404 session_not_found`, async () => {
      const { status, body } = await rest.call('GET', `/sessions/${id}`);
      assert.is(status, 404);
      assert.ok(['session_not_found', 'not_found'].includes(body.error));
      assert.type(body.message, 'string');
      assert.type(body.hint, 'string');
      assert.type(body.request_id, 'string');
    });
  }

  test('the list has newest first, pages, and filters', async () => {
    const first = await rest.newSession({ project_id: 'list' });
    const second = await rest.newSession({ project_id: 'list' });
    const third = await rest.newSession({ project_id: 'list' });
    await rest.call('POST', `/sessions/${second}/propose`);
    const all = (await rest.call('GET', '/sessions?project_id=list')).body;
    assert.equal(
      all.sessions.map((session: { id: string }) => session.id),
      [third, second, first],
    );
    assert.is(all.total_count, 3);
    assert.is(all.has_more, false);
    const page = (await rest.call('GET', '/sessions?project_id=list&limit=1&offset=1')).body;
    assert.equal(
      page.sessions.map((session: { id: string }) => session.id),
      [second],
    );
    assert.is(page.total_count, 3);
    assert.is(page.has_more, true);
    const proposed = (await rest.call('GET', '/sessions?project_id=list&status=proposed')).body;
    assert.equal(
      proposed.sessions.map((session: { id: string }) => session.id),
      [second],
    );
    assert.is((await rest.call('GET', '/sessions?project_id=none')).body.total_count, 0);
  });

  for (const query of [
    'limit=x',
    'limit=-1',
    'limit=1001',
    'limit=1e3',
    'limit=NaN',
    'limit=',
    'offset=-1',
    'offset=1.5',
    'status=open',
    'limit=1&limit=2',
  ]) {
    test(`the list refuses ${query}`, async () => {
      const { status, body } = await rest.call('GET', `/sessions?${query}`);
      assert.is(status, 400);
      assert.is(body.error, 'invalid_request');
    });
  }
});

suite('rest: delete a session', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  test('an active one is gone afterwards', async () => {
    const id = await rest.newSession();
    const { status, body } = await rest.call('DELETE', `/sessions/${id}`);
    assert.is(status, 200);
    assert.is(body.session_id, id);
    assert.is(body.id, id);
    assert.is(body.status, 'deleted');
    assert.match(body.deleted_at, time);
    assert.is((await rest.call('GET', `/sessions/${id}`)).status, 404);
    assert.is((await rest.call('DELETE', `/sessions/${id}`)).body.error, 'session_not_found');
  });

  test('a proposed one too', async () => {
    const id = await rest.newSession();
    await rest.call('POST', `/sessions/${id}/propose`);
    assert.is((await rest.call('DELETE', `/sessions/${id}`)).status, 200);
  });

  for (const outcome of ['approve', 'reject']) {
    test(`after ${outcome} it answers 409 with the state`, async () => {
      const id = await rest.newSession();
      await rest.call('POST', `/sessions/${id}/propose`);
      const { body: final } = await rest.call('POST', `/sessions/${id}/${outcome}`);
      const { status, body } = await rest.call('DELETE', `/sessions/${id}`);
      assert.is(status, 409);
      assert.is(body.error, 'invalid_transition');
      assert.is(body.status, final.status);
      assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, final.status);
    });
  }
});
