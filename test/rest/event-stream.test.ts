/** Events of all sessions: as a list, by long polling, and as a stream. Nobody receives what other routes would not show. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'other', role: 'agent' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'shopper', role: 'reviewer', projects: ['shop'] }),
];
const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

interface Told {
  readonly number: string;
  readonly session_id: string;
  readonly kind: string;
}

suite('rest: events of all sessions', (test) => {
  let rest: TestRest;
  const open: IncomingMessage[] = [];
  test.before(async () => {
    rest = await startTestRest({ tokens });
  });
  test.after(() => rest.stop());
  test.afterEach(() => {
    for (const stream of open.splice(0)) stream.destroy();
  });

  const create = async (name: string, project = 'default'): Promise<string> =>
    (await rest.call('POST', '/sessions', as(name, { project_id: project }))).body.id;
  const list = async (name: string, query: string) =>
    (await rest.call('GET', `/events?${query}`, as(name))).body;
  const now = async () => (await list('ann', 'after=999999999&limit=1')).last as string;
  const say = (id: string) =>
    rest.call('POST', `/sessions/${id}/comments`, as('ann', { body: '1' }));

  /** Reads a stream as a browser does. Returns the events, and the id to resume from. */
  const follow = async (name: string, query = '', lastId?: string) => {
    const headers = {
      ...as(name).headers,
      accept: 'text/event-stream',
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const url = new URL(`/events?${query}`, rest.url);
      request(url, { headers, agent: false }, resolve).on('error', reject).end();
    });
    open.push(answer);
    const reported: Told[] = [];
    const heard = { answer, reported, lastId: '', isOver: false };
    let text = '';
    answer.setEncoding('utf8').on('data', (part: string) => {
      const blocks = (text + part).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        heard.lastId = /^id: (\d+)$/m.exec(block)?.[1] ?? heard.lastId;
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) reported.push(JSON.parse(data));
      }
    });
    answer.on('close', () => Object.assign(heard, { isOver: true })).on('error', () => undefined);
    return heard;
  };

  const kinds = (reported: readonly Told[]) => reported.map(({ kind }) => kind);

  test('tells what happens from now on, and to whom', async () => {
    const before = await create('bot');
    const stream = await follow('ann');
    assert.match(stream.answer.headers['content-type'] ?? '', /^text\/event-stream/);
    assert.is(stream.answer.headers['cache-control'], 'no-store');
    await say(before);
    const id = await create('bot');
    await until(() => stream.reported.length === 2);
    assert.equal(
      stream.reported.map(({ session_id, kind }) => [session_id, kind]),
      [
        [before, 'comment'],
        [id, 'created'],
      ],
    );
    await until(() => stream.lastId === stream.reported[1]?.number);
  });

  test('goes on behind the event that a reader has seen last, each once and in order', async () => {
    const id = await create('bot');
    const begun = await now();
    const first = await follow('ann', `after=${begun}`);
    await say(id);
    await until(() => first.reported.length === 1);
    first.answer.destroy();
    for (let count = 0; count < 250; count += 1) await say(id);
    const again = await follow('ann', `after=${begun}`, first.lastId);
    await until(() => again.reported.length >= 250);
    const expected = Array.from({ length: 250 }, (_, index) => Number(first.lastId) + 1 + index);
    assert.equal(
      again.reported.map(({ number }) => Number(number)),
      expected,
    );
  });

  test('an agent hears of its own sessions, a token of its projects', async () => {
    const [begun, streams] = [
      await now(),
      [await follow('bot'), await follow('other'), await follow('shopper'), await follow('ann')],
    ];
    const mine = await create('bot', 'shop');
    const foreign = await create('other', 'elsewhere');
    await say(mine);
    await rest.call('DELETE', `/sessions/${mine}`, as('bot'));
    await rest.call('DELETE', `/sessions/${foreign}`, as('other'));
    await until(() => streams[3]?.reported.at(-1)?.session_id === foreign);
    await until(() => streams.every(({ lastId }) => Number(lastId) >= Number(begun) + 5));
    const ids = streams.map(
      ({ reported }) => new Set(reported.map(({ session_id }) => session_id)),
    );
    const sorted = (all: Iterable<string>) => [...all].sort();
    assert.equal(ids.map(sorted), [[mine], [foreign], [mine], sorted([mine, foreign])]);
    assert.is(streams[0]?.reported.at(-1)?.kind, 'deleted');
    // the other events of a session are deleted with it
    const events = async (name: string) => (await list(name, `after=${begun}`)).events as Told[];
    assert.equal(kinds(await events('bot')), ['deleted']);
    assert.equal(kinds(await events('other')), ['deleted']);
    assert.equal((await events('bot'))[0]?.session_id, mine);
    assert.equal(kinds(await events('shopper')), ['deleted']);
    assert.equal(kinds(await events('ann')), ['deleted', 'deleted']);
    const { status } = await rest.call('GET', '/events?project_id=elsewhere', as('shopper'));
    assert.is(status, 403);
    assert.is((await rest.call('GET', '/events')).status, 401);
  });

  test('as a list it is read by pages; a wait ends with the first event that may be seen', async () => {
    const begun = await now();
    const id = await create('bot', 'shop');
    await say(id);
    const page = await list('ann', `after=${begun}&limit=1`);
    assert.equal(kinds(page.events), ['created']);
    assert.equal(kinds((await list('ann', `after=${page.last}`)).events), ['comment']);
    const waiting = list('other', `after=${begun}&wait=50`);
    await create('bot');
    const own = await create('other');
    const heard = await waiting;
    assert.equal([heard.events.length, heard.events[0].session_id], [1, own]);
    const none = await list('other', `after=${heard.last}&wait=1`);
    assert.equal([none.events, none.last], [[], heard.last]);
    assert.equal(kinds((await list('shopper', `project_id=shop&after=${begun}`)).events), [
      'created',
      'comment',
    ]);
  });

  test('refuses a place that is none', async () => {
    const headers = { ...as('ann').headers, accept: 'text/event-stream', 'last-event-id': 'x' };
    assert.is((await rest.call('GET', '/events', { headers })).status, 400);
    assert.is((await rest.call('GET', '/events?after=-1', as('ann'))).status, 400);
  });

  test('holds no connection while nothing happens', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow('ann')));
    await until(async () => rest.db.counts().idle === rest.db.counts().open);
    const id = await create('bot');
    await until(() => streams.every(({ reported }) => reported.at(-1)?.session_id === id));
    assert.ok(streams.every(({ isOver }) => !isOver));
  });
});
