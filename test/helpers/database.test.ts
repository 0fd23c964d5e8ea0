/** Test databases: they are clones of the sample, do not affect each other, and are dropped after use. */
import { createTestDatabase } from './database.ts';
import { assert, rejects, suite } from './suite.ts';

suite('test databases', (test) => {
  test('hold the sample shop, each its own', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    try {
      await one.query('DELETE FROM customers');
      const [row] = await two.query<{ n: string }>('SELECT count(*) AS n FROM customers');
      assert.is(row?.n, '4');
    } finally {
      await Promise.all([one.drop(), two.drop()]);
    }
  });

  test('are empty on demand', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    const error = await rejects(database.query('SELECT FROM customers'));
    await database.drop();
    assert.is(error.code, '42P01');
  });
});
