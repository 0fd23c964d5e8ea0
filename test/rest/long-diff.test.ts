/** A diff that is longer than one answer has time for: in pages it is the same document. */
import { diffText } from '../../src/client/diff-text.ts';
import type { DiffFilter } from '../../src/client/filters.ts';
import type { Transport } from '../../src/client/transport.ts';
import { createTransport } from '../../src/client/transport.ts';
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

  test('is told when it changes between its pages', async () => {
    const write = () => rest.write(id, `UPDATE orders SET note = 'y' WHERE id = 1`);
    const error = await rejects(read({}, 2, write));
    assert.match(error.message, /has changed while its diff was read/);
  });
});
