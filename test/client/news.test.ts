/** Waiting for events of a session, with daemons of every age: one that reports them, one that does not wait, one without events. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '../../src/client/api-client.ts';
import { News } from '../../src/client/news.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const id = `sess_${'0'.repeat(32)}`;
const never = new AbortController().signal;
const often = { mostMs: 5_000, intervalMs: 10, signal: never };

/** Starts a server with the same response to every request; returns a client of it, and the requests it received. */
async function startOld(status: number, body: object) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.url));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = new ApiClient({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: null,
  });
  const close = async () => {
    await api.close();
    server.close();
  };
  return { api, asked, close };
}

const olds: [name: string, status: number, body: object][] = [
  ['does not wait', 200, { session_id: id, events: [] }],
  ['knows no events', 404, { error: 'not_found', message: 'there is no such place' }],
  ['is busy', 503, { error: 'busy', message: '200 requests wait for events already' }],
  ['tells of what nobody here knows', 200, { events: [{ number: '7', kind: 'sung', at: '' }] }],
];

suite('news of older daemons', (test) => {
  for (const [name, status, body] of olds) {
    test(`one that ${name} is looked at after the interval`, async () => {
      const old = await startOld(status, body);
      const news = new News(old.api, id);
      assert.is(await news.next(often), true);
      const before = old.asked.length;
      for (let time = 0; time < 3; time += 1) assert.is(await news.next(often), true);
      assert.is(old.asked.length, before + 3);
      await old.close();
    });
  }

  test('a session that is gone is told at once', async () => {
    const old = await startOld(404, { error: 'session_not_found', message: 'gone' });
    const news = new News(old.api, id);
    const patient = { mostMs: 10_000_000, intervalMs: 10_000_000, signal: never };
    assert.equal([await news.next(patient), await news.next(patient)], [true, true]);
    await old.close();
  });
});

suite('news', (test) => {
  let rest: TestRest;
  let api: ApiClient;
  let session = '';
  test.before(async () => {
    rest = await startTestRest();
    api = new ApiClient({ server: rest.url, token: null });
  });
  test.after(async () => {
    await api.close();
    await rest.stop();
  });
  test.beforeEach(async () => {
    session = await rest.newSession();
  });

  const say = (body: string) =>
    rest.call('POST', `/sessions/${session}/comments`, { json: { body } });
  const patient = { mostMs: 100_000, intervalMs: 10_000_000, signal: never };

  test('come as they happen, none twice, and none that came before is missed', async () => {
    const news = new News(api, session);
    assert.is(await news.next(patient), true);
    await say('one');
    await say('two');
    assert.equal([await news.next(patient), await news.next(patient)], [true, true]);
    const waiting = news.next(patient);
    await say('three');
    assert.is(await waiting, true);
    assert.is(await news.next({ ...patient, mostMs: 1_000 }), false);
  });

  test('of many events the last is known from the beginning', async () => {
    const statement = `SELECT stage.emit(id, project_id, 'comment', NULL, '{"body": "x"}')
      FROM stage.session, generate_series(1, 1100) WHERE id = $1`;
    await rest.db.query(statement, [session.slice(5)]);
    const news = new News(api, session);
    assert.is(await news.next(patient), true);
    assert.is(await news.next({ ...patient, mostMs: 1_000 }), false);
  });

  test('that come after somebody gave up are told to who asks next', async () => {
    const news = new News(api, session);
    await news.next(patient);
    const leaving = new AbortController();
    const waiting = rejects(news.next({ ...patient, signal: leaving.signal }));
    leaving.abort();
    await waiting;
    await say('one');
    assert.is(await news.next(patient), true);
    assert.is(await news.next({ ...patient, mostMs: 1_000 }), false);
  });
});
