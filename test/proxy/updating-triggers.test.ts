/** AFTER triggers that update and delete rows: counters, totals and balances, also of rows that the client changes. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q } from '../helpers/wire-script.ts';
import { schema } from './counting-schema.ts';

const tables = ['customers', 'orders', 'lines', 'search', 'nodes'];
const shown = tables.map((name) => `TABLE ${name} ORDER BY 1`);

suite('triggers that update while staging', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const open = async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged', conflict_scope: 'column' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id)) };
  };
  const alike = (...texts: string[]) => assertAlike(proxied, [...texts, ...shown].map(q));
  const both = async (text: string) => {
    for (const { query } of [proxied.database, proxied.twin]) await query(text);
  };

  test('follow changes of triggers that fire for them', async () => {
    const { client } = await open();
    const total = async () => {
      await client.query('UPDATE lines SET amount = amount + 1 WHERE id = 1');
      return (await client.query('SELECT version FROM orders WHERE id = 1')).rows[0]?.['version'];
    };
    const first = Number(await total());
    const body = 'BEGIN NEW.version := OLD.version + 10; RETURN NEW; END';
    await both(`CREATE OR REPLACE FUNCTION bump() RETURNS trigger LANGUAGE plpgsql AS '${body}'`);
    assert.is(await total(), first + 20);
    await both('ALTER TABLE orders DISABLE TRIGGER bump');
    assert.is(await total(), first + 20);
    await both('ALTER TABLE orders ENABLE TRIGGER bump');
    await both(
      `CREATE OR REPLACE FUNCTION bump() RETURNS trigger LANGUAGE plpgsql AS '${body.replace('10', '1')}'`,
    );
  });

  const stories: Record<string, readonly string[]> = {
    'keep totals of rows of production': [
      'INSERT INTO lines VALUES (2, 1, 5), (3, 1, 7) RETURNING *',
      'UPDATE lines SET amount = amount + 1',
      'DELETE FROM lines WHERE id = 3',
    ],
    'keep totals of rows that the client inserts and updates': [
      'INSERT INTO orders (id, customer) VALUES (5, 2)',
      'INSERT INTO lines VALUES (10, 5, 20), (11, 5, 30)',
      "UPDATE orders SET status = 'paid' WHERE id = 5 RETURNING *",
      'INSERT INTO lines VALUES (12, 5, 1)',
      'UPDATE orders SET total = total * 2, customer = 1 WHERE id = 5',
      'DELETE FROM lines WHERE id = 10',
    ],
    'follow the actions of foreign keys': [
      'DELETE FROM orders WHERE id = 5',
      'DELETE FROM customers WHERE id = 1',
    ],
    'raise what constraints raise': [
      'INSERT INTO customers VALUES (7), (8)',
      'INSERT INTO orders (id, customer) VALUES (70, 7)',
      'INSERT INTO lines VALUES (70, 70, 2000)',
      'BEGIN; SAVEPOINT s; INSERT INTO lines VALUES (71, 70, 1000); ROLLBACK TO s; INSERT INTO lines VALUES (71, 70, 999); COMMIT',
      'UPDATE lines SET amount = 1 WHERE id = 71',
    ],
    'change rows of their own table': [
      'UPDATE nodes SET weight = 9 WHERE id = 3',
      'INSERT INTO nodes VALUES (4, 3, 1), (5, 3, 2)',
      'UPDATE nodes SET weight = weight + 1 WHERE id > 3',
      'DELETE FROM nodes WHERE id = 4',
    ],
  };
  for (const [name, texts] of Object.entries(stories))
    test(name, () => alike(...texts).then(() => undefined), { timeout: 120_000 });
});
