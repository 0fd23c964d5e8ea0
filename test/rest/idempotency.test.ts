/** A repeated request to create a session creates one session, however often and wherever it arrives. */
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = ['bot', 'other'].map((name) => testToken({ name, role: 'agent' }));

const sent = (name: string, key: string, json: object = {}): Sent => ({
  headers: { authorization: `Bearer ${name}`, 'idempotency-key': key },
  json,
});

suite('rest: repeated creation', (test) => {
  let rest: TestRest;
  /** Another service on the same database. */
  let second: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    second = await startTestRest({ tokens, database: rest.database });
  });
  test.after(async () => {
    await second.stop();
    await rest.stop();
  });

  const create = (...args: Parameters<typeof sent>) =>
    rest.call('POST', '/sessions', sent(...args));

  test('gives the first session again, as it is by now', async () => {
    const first = await create('bot', 'a', { project_id: 'shop' });
    assert.equal([first.status, first.headers['idempotent-replayed']], [201, undefined]);
    const again = await create('bot', 'a', { project_id: 'shop' });
    assert.equal([again.status, again.headers['idempotent-replayed']], [200, 'true']);
    assert.equal(again.body, first.body);
    assert.is(again.headers['location'], first.headers['location']);
    await rest.call('POST', `/sessions/${first.body.id}/propose`, sent('bot', 'x'));
    assert.is((await create('bot', 'a', { project_id: 'shop' })).body.status, 'proposed');
  });

  test('with another request under the key is refused', async () => {
    const first = await create('bot', 'b', { metadata: { task: 1 } });
    for (const body of [
      {},
      { metadata: { task: 2 } },
      { metadata: { task: 1 }, reads: 'staged' },
    ]) {
      const { status, body: answer } = await create('bot', 'b', body);
      assert.equal(
        [status, answer.error, answer.session_id],
        [409, 'idempotency_conflict', first.body.id],
      );
    }
  });

  test('is told apart by token and by key', async () => {
    const ids = [
      (await create('bot', 'c')).body.id,
      (await create('other', 'c')).body.id,
      (await create('bot', 'd')).body.id,
    ];
    assert.is(new Set(ids).size, 3);
  });

  test('with a key that is none is refused', async () => {
    for (const key of ['x'.repeat(201), 'tab\there']) {
      const { status, body } = await create('bot', key);
      assert.equal([status, body.error], [400, 'invalid_request'], key);
    }
  });

  test('makes one session of fifty requests at once to two services', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? rest : second).call('POST', '/sessions', sent('bot', 'e')),
      ),
    );
    assert.is(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.equal(answers.map(({ status }) => status).sort(), [...Array(49).fill(200), 201]);
  });

  test('makes another one where the first was deleted', async () => {
    const first = await create('bot', 'f');
    await rest.call('DELETE', `/sessions/${first.body.id}`, sent('bot', 'x'));
    const again = await create('bot', 'f');
    assert.is(again.status, 201);
    assert.is.not(again.body.id, first.body.id);
  });
});
