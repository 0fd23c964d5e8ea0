/** Waiting for events of a session: noticed at once, bounded, and without a separate connection. */
import type { Answer, Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'other', role: 'agent' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];
const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

suite('rest: waiting for events', (test) => {
  let rest: TestRest;
  let id: string;
  let last: string;
  test.before(async () => {
    rest = await startTestRest({ tokens });
  });
  test.after(() => rest.stop());
  test.beforeEach(async () => {
    id = (await rest.call('POST', '/sessions', as('bot', {}))).body.id;
    last = (await ask('wait=0')).body.last;
  });

  const ask = (query: string, name = 'bot', session = id): Promise<Answer> =>
    rest.call('GET', `/sessions/${session}/events?${query}`, as(name));
  const kindsIn = ({ body }: Answer) => body.events.map(({ kind }: { kind: string }) => kind);
  const timed = async (work: Promise<Answer>) => {
    const began = performance.now();
    return { answer: await work, ms: performance.now() - began };
  };

  test('answers what is there already at once', async () => {
    assert.equal(kindsIn(await ask('after=0&wait=50')), ['created']);
  });

  test('answers an empty list when the time is over, and not before', async () => {
    const { answer, ms } = await timed(ask(`after=${last}&wait=1`));
    assert.equal([answer.status, answer.body.events, answer.body.last], [200, [], last]);
    assert.ok(ms >= 990, String(ms));
  });

  test('is woken by the session itself, and by no other one', async () => {
    const another = (await rest.call('POST', '/sessions', as('bot', {}))).body.id;
    let isOver = false;
    const waiting = ask(`after=${last}&wait=50`).finally(() => {
      isOver = true;
    });
    await rest.call('POST', `/sessions/${another}/propose`, as('bot', {}));
    const heard = await ask(`after=${last}&wait=50`, 'bot', another);
    assert.equal(kindsIn(heard), ['created', 'proposed']);
    assert.not.ok(isOver);
    await rest.call('POST', `/sessions/${id}/comments`, as('ann', { body: 'look' }));
    assert.equal(kindsIn(await waiting), ['comment']);
  });

  test('of a session that is deleted meanwhile it says so', async () => {
    const waiting = ask(`after=${last}&wait=50`);
    await until(async () => rest.db.counts().idle === rest.db.counts().open);
    await rest.call('DELETE', `/sessions/${id}`, as('bot'));
    assert.is((await waiting).body.error, 'session_not_found');
  });

  test('tells nobody of the session of another agent', async () => {
    assert.is((await ask('wait=50', 'other')).status, 404);
  });

  for (const wait of ['51', '-1', '1.5', 'long', '']) {
    test(`refuses to wait ${JSON.stringify(wait)} seconds`, async () => {
      const { status, body } = await ask(`wait=${wait}`);
      assert.equal([status, body.error], [400, 'invalid_request']);
    });
  }

  test('reads nothing for who waits again, and hears what happens then', async () => {
    const paths = [`/sessions/${id}/events?`, '/events?'];
    const wait = (path: string, seconds: number) =>
      rest.call('GET', `${path}after=${last}&wait=${seconds}`, as('ann'));
    const { db } = rest;
    const { query } = db;
    const texts: string[] = [];
    db.query = (text, values) => {
      texts.push(text);
      return query(text, values);
    };
    const reads = () =>
      texts.splice(0).filter((text) => !text.includes('project_id FROM stage.event WHERE'));
    try {
      for (const path of paths) {
        assert.equal((await wait(path, 1)).body.events, []);
        assert.ok(reads().length > 0, path);
        assert.equal((await wait(path, 1)).body.events, []);
        assert.equal(reads(), [], path);
      }
      const waiting = paths.map((path) => wait(path, 50));
      await until(() => texts.length > 0);
      await rest.call('POST', `/sessions/${id}/comments`, as('ann', { body: 'look' }));
      for (const answer of await Promise.all(waiting)) assert.equal(kindsIn(answer), ['comment']);
      for (const path of paths) assert.equal(kindsIn(await wait(path, 50)), ['comment'], path);
    } finally {
      db.query = query;
    }
  });

  test('holds no connection: other requests are answered while more wait than there are', async () => {
    const waiting = Array.from({ length: 30 }, () => ask(`after=${last}&wait=50`));
    await until(async () => rest.db.counts().idle === rest.db.counts().open);
    assert.is((await rest.call('POST', `/sessions/${id}/propose`, as('bot', {}))).status, 200);
    for (const answer of await Promise.all(waiting)) assert.equal(kindsIn(answer), ['proposed']);
  });
});
