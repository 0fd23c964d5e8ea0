/** Every event in every state, unknown sessions, and many approvals at once. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const unknown = `sess_${'0'.repeat(32)}`;
const raisePrice = `UPDATE products SET price = price + 1 WHERE sku = 'MUG-01'`;

suite('rest: transitions', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  const ways = {
    active: [],
    proposed: ['propose'],
    approved: ['propose', 'approve'],
    rejected: ['propose', 'reject'],
  };
  const allowed = { active: 'propose', proposed: 'approve reject', approved: '', rejected: '' };
  for (const [state, steps] of Object.entries(ways)) {
    for (const event of ['propose', 'approve', 'reject']) {
      const works = allowed[state as keyof typeof allowed].includes(event);
      test(`${event} of a session that is ${state} ${works ? 'works' : 'answers 409'}`, async () => {
        const id = await rest.newSession();
        for (const step of steps) await rest.call('POST', `/sessions/${id}/${step}`);
        const { status, body } = await rest.call('POST', `/sessions/${id}/${event}`);
        if (works) {
          assert.is(status, 200);
          return;
        }
        assert.is(status, 409);
        assert.is(body.error, 'invalid_transition');
        assert.is(body.status, state);
        assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, state);
      });
    }
  }

  for (const [method, path] of [
    ['POST', 'propose'],
    ['POST', 'approve'],
    ['POST', 'reject'],
    ['GET', 'diff'],
    ['GET', 'mutations'],
    ['GET', 'conflicts'],
  ] as const) {
    test(`${path} of an unknown session answers 404`, async () => {
      for (const id of [unknown, 'x']) {
        const { status, body } = await rest.call(method, `/sessions/${id}/${path}`);
        assert.is(status, 404);
        assert.is(body.error, 'session_not_found');
      }
    });
  }

  test('of many approvals at once, one applies and all others see the final state', async () => {
    const id = await rest.newSession();
    await rest.write(id, raisePrice);
    await rest.call('POST', `/sessions/${id}/propose`);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => rest.call('POST', `/sessions/${id}/approve`)),
    );
    assert.is(answers.filter(({ status }) => status === 200).length, 1);
    for (const { status, body } of answers) {
      if (status !== 200) assert.is(body.error, 'invalid_transition');
    }
    const [row] = await rest.database.query<{ price: string }>(
      `SELECT price FROM products WHERE sku = 'MUG-01'`,
    );
    assert.is(row?.price, '10.50');
  });
});
