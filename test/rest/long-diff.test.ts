/** A diff that takes longer than one response may: in pages it is the same document. */
import { diffText } from '../../src/client/diff-text.ts';
import type { DiffFilter } from '../../src/client/filters.ts';
import type { Transport } from '../../src/client/transport.ts';
import { createTransport } from '../../src/client/transport.ts';
import { stepPage } from '../../src/rest/schemas/diff-pages.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('a long diff', (test) => {
  let rest: TestRest;
  let transport: Transport;
  let id: string;
  let asked: string[] = [];
  test.before(async () => {
    rest = await startTestRest();
    transport = createTransport({ server: rest.url, token: null });
    id = await rest.newSession();
    await rest.write(
      id,
      `INSERT INTO customers (email, name) SELECT n || '@z', E'z\\n' FROM generate_series(1, 2500) n`,
    );
    await rest.write(id, `UPDATE orders SET note = 'x' WHERE id < 3`);
    await rest.write(id, `UPDATE products SET price = price WHERE id = 1`);
    await rest.write(id, 'DELETE FROM order_items WHERE order_id = 1');
  });
  test.after(async () => {
    await transport.close();
    await rest.stop();
  });

  async function read(filter: DiffFilter, most: number, between = async () => {}): Promise<string> {
    asked = [];
    const send: Transport['send'] = async (call) => {
      asked.push(call.path.replace(/^.*\/diff/, ''));
      const answer = await transport.send(call);
      if (asked.length === 2) await between();
      return answer;
    };
    const parts: string[] = [];
    const texts = diffText({ ...transport, send }, `/sessions/${id}/diff`, filter, most);
    for await (const text of texts) parts.push(text);
    return parts.join('');
  }

  test('is the same document in pages, with what was asked for', async () => {
    for (const filter of [
      {},
      { table: 'customers' },
      { type: 'UPDATE' },
      { table: 'orders' },
    ] as const) {
      const whole = await read(filter, 1_000_000);
      assert.equal(asked, []);
      assert.is(await read(filter, 2), whole);
      assert.ok(asked.includes('/changes'), JSON.stringify(filter));
    }
    assert.is(asked.filter((path) => path === '/changes').length, 1, 'of one table only');
  });

  async function compareSteps(): Promise<void> {
    const filters: DiffFilter[] = [
      { limit: 0, steps: 'true' },
      { limit: 0, steps: 'true', table: 'orders' },
      { limit: 0, steps: 'true', type: 'DELETE' },
    ];
    for (const filter of filters) {
      const whole = await read(filter, 1_000_000);
      assert.equal(asked, []);
      assert.ok(JSON.parse(whole).steps.length > 0);
      assert.is(await read(filter, 2), whole);
      assert.equal(asked, ['/outline', '', '/steps'], JSON.stringify(filter));
    }
  }

  test('is the same with its steps in pages of any length', async () => {
    await compareSteps();
    const { steps } = JSON.parse(await read({ limit: 0, steps: 'true' }, 1_000_000));
    const paged: object[] = [];
    for (let cursor: string | null = '0.0'; cursor !== null; ) {
      const path = `/sessions/${id}/diff/steps?limit=700&cursor=${cursor}`;
      const { body } = await rest.call('GET', path);
      assert.equal(stepPage.parse(body), body);
      assert.ok(body.steps.length <= 700);
      for (const { number, ...step } of body.steps) {
        assert.match(number, /^\d+\.\d+$/);
        paged.push(step);
      }
      cursor = body.next_cursor;
    }
    assert.equal(paged, steps);
    for (const cursor of ['0', '1.x', '-1.0'])
      assert.is(
        (await rest.call('GET', `/sessions/${id}/diff/steps?cursor=${cursor}`)).status,
        400,
      );
  });

  test('is told when it changes between its pages', async () => {
    const write = () => rest.write(id, `UPDATE orders SET note = 'y' WHERE id = 1`);
    const error = await rejects(read({}, 2, write));
    assert.match(error.message, /has changed while its diff was read/);
  });

  test('is the same with the steps of an approved session', async () => {
    await rest.call('POST', `/sessions/${id}/propose`);
    assert.is((await rest.call('POST', `/sessions/${id}/approve`)).status, 200);
    await compareSteps();
  });
});
