/** Comments on sessions, tables and rows, and the events of a session: append-only, in the order of commits. */
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'other', role: 'agent' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
];
const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

suite('rest: comments and events', (test) => {
  let rest: TestRest;
  let id: string;
  test.before(async () => {
    rest = await startTestRest({ tokens });
  });
  test.after(() => rest.stop());
  test.beforeEach(async () => {
    id = (await rest.call('POST', '/sessions', as('bot', {}))).body.id;
  });

  const post = (path: string, name: string, json: object = {}) =>
    rest.call('POST', `/sessions/${id}/${path}`, as(name, json));
  const get = async (path: string, name = 'bot') =>
    (await rest.call('GET', `/sessions/${id}/${path}`, as(name))).body;

  test('are heard by both sides, in every state', async () => {
    const says = async (name: string, body: string) =>
      assert.is((await post('comments', name, { body })).status, 201, body);
    await says('bot', 'while active');
    await post('propose', 'bot', { message: 'with the proposal' });
    await says('ann', 'while proposed');
    await post('reject', 'ann', { reason: 'no' });
    await says('root', 'after the\nverdict');
    const { comments } = await get('comments');
    assert.equal(
      comments.map((each: { by: string; body: string }) => `${each.by}: ${each.body}`),
      [
        'bot: while active',
        'bot: with the proposal',
        'ann: while proposed',
        'root: after the\nverdict',
      ],
    );
    const { events } = await get('events');
    assert.equal(
      events.map(({ kind }: { kind: string }) => kind),
      ['created', 'comment', 'proposed', 'comment', 'rejected', 'comment'],
    );
    assert.equal(events[4].body, { reason: 'no' });
  });

  test('name a table and a row, whose key keeps all its digits', async () => {
    const raw = (text: string) =>
      rest.call('POST', `/sessions/${id}/comments`, {
        headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
        raw: text,
      });
    const made = await raw('{"body": "this one", "table": "products", "row_id": 9007199254740993}');
    assert.match(made.text, '"row_id":9007199254740993');
    assert.match(made.body.id, /^cmt_\d+$/);
    await raw(
      '{"body": "of two columns", "table": "order_items", "row_id": {"a": "x", "b": 1.10}}',
    );
    const { comments } = await get('comments');
    assert.equal(comments[1].row_id, { a: 'x', b: 1.1 });
    for (const json of [
      {},
      { body: '' },
      { body: 'x'.repeat(2001) },
      { body: 'a\u0000' },
      { body: 'x', row_id: 1 },
      { body: 'x', table: 'products', row_id: 'a\u0000' },
      { body: 'x', table: 'products', row_id: { k: 'x'.repeat(5000) } },
      { body: 'x', table: 'products', row_id: [1] },
    ])
      assert.is((await post('comments', 'ann', json)).status, 400, JSON.stringify(json));
  });

  test('of sessions of others are not there for an agent', async () => {
    assert.is((await post('comments', 'other', { body: 'x' })).status, 404);
    for (const path of ['comments', 'events']) {
      const { status } = await rest.call('GET', `/sessions/${id}/${path}`, as('other'));
      assert.is(status, 404, path);
    }
    assert.is((await get('events')).events.length, 1);
  });

  test('come in pages', async () => {
    for (const body of ['1', '2', '3']) await post('comments', 'bot', { body });
    const first = await get('comments?limit=2');
    assert.equal([first.comments.length, first.has_more], [2, true]);
    const second = await get('comments?limit=2&offset=2');
    assert.is(second.total_count, 3);
    assert.equal([second.comments[0].body, second.has_more], ['3', false]);
    const { last } = await get('events');
    assert.equal((await get(`events?after=${last}`)).events, []);
    assert.is((await get(`events?after=${last}`)).last, last);
    assert.is((await get('events?limit=2')).events.length, 2);
  });

  test('end with their session, which leaves its events behind in the database', async () => {
    await post('comments', 'bot', { body: 'x' });
    await rest.call('DELETE', `/sessions/${id}`, as('bot'));
    for (const path of ['comments', 'events']) {
      const { status } = await rest.call('GET', `/sessions/${id}/${path}`, as('bot'));
      assert.is(status, 404);
    }
    const rows = await rest.database.query<{ kind: string; by_as: string }>(
      'SELECT kind, by_as FROM stage.event WHERE session = $1 ORDER BY number',
      [id.slice(5)],
    );
    assert.equal(
      rows.map(({ kind }) => kind),
      ['created', 'comment', 'deleted'],
    );
    assert.is(rows[2]?.by_as, 'bot');
  });

  test('numbers have no gaps, and none appears behind a greater one', async () => {
    let seen = 0;
    let done = false;
    // checked at the end: a failure that nobody awaits yet would end the process
    const gaps: string[] = [];
    const watch = (async () => {
      while (!done) {
        const rows = await rest.database.query<{ number: number }>(
          'SELECT number::int FROM stage.event WHERE number > $1 ORDER BY number',
          [seen],
        );
        for (const { number } of rows) {
          if (seen > 0 && number !== seen + 1) gaps.push(`${seen} ${number}`);
          seen = number;
        }
      }
    })();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        // every third one fails after it took its number
        index % 3 === 0
          ? rest.db
              .transaction(async (tx) => {
                await tx.query(`SELECT stage.emit($1, 'p', 'comment', NULL, '{}')`, [id.slice(5)]);
                throw new Error('rolled back');
              })
              .catch(() => undefined)
          : post('comments', 'bot', { body: String(index) }),
      ),
    );
    done = true;
    await watch;
    assert.equal(gaps, []);
    const [row] = await rest.database.query<{ count: number; last: number }>(
      'SELECT count(*)::int AS count, max(number)::int AS last FROM stage.event',
    );
    assert.is(row?.count, row?.last);
  });

  test('nobody changes what has happened', async () => {
    for (const sql of [
      `UPDATE stage.event SET body = '{}'`,
      'DELETE FROM stage.event',
      'TRUNCATE stage.event',
      'DELETE FROM stage.event_head',
      'INSERT INTO stage.event_head DEFAULT VALUES',
    ])
      assert.is((await rejects(rest.database.query(sql))).code, '42501', sql);
  });
});
