/** Functions with domains, composite types and types of extensions as arguments and results: answers, reads and approvals are as directly. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/types-of-parameters.sql');

suite('types of parameters', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('results have the types of the functions', async () => {
    const staged = await proxied.connect(await proxied.session('staged'));
    const direct = await proxied.connect(proxied.database.url);
    await direct.query('BEGIN');
    for (const text of [
      'SELECT due_of(1), mail_of(1), mail_array()',
      'SELECT * FROM facts(1)',
      `SELECT bill(1, (1, 'EUR')), bill_euros(1, (1, 'EUR')), meet(1, ('q@x', NULL, NULL)), label('l', '')`,
      'CALL settle(1)',
    ]) {
      const [fields, expected] = await Promise.all(
        [staged, direct].map(async (client) =>
          (await client.query(text)).fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
        ),
      );
      assert.equal(fields, expected, text);
    }
    await direct.query('ROLLBACK');
  });
});
