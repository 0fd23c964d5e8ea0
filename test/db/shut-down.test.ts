/** A request still in progress when the service stops gets an error. */
import { createDatabase } from '../../src/db/database.ts';
import type { StageError } from '../../src/errors.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('service account while it shuts down', (test) => {
  test('refuses as a service that is away, and runs nothing', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    try {
      const db = createDatabase({ url: database.url });
      await db.query('SELECT 1');
      await db.close();
      for (const work of [() => db.query('SELECT 1'), () => db.transaction(async () => 1)]) {
        const error = await rejects<StageError>(work());
        assert.equal(
          [error.code, error.status, error.message],
          ['upstream_unavailable', 503, 'the service is shutting down'],
        );
      }
    } finally {
      await database.drop();
    }
  });
});
