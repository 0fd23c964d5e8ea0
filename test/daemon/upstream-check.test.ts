/** Which servers the daemon accepts. */
import { checkServer } from '../../src/daemon/upstream/upstream-check.ts';
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { StageError } from '../../src/errors.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('daemon: upstream check', (test) => {
  let database: TestDatabase;
  let db: Database;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    db = createDatabase({ url: database.url, maxConnections: 1 });
  });
  test.after(async () => {
    await db.close();
    await database.drop();
  });

  /** No such server is available, so its response is simulated. */
  const answering = (row: Record<string, string>) =>
    ({ query: async () => [row] }) as unknown as Database;

  test('tells whether our schema is there', async () => {
    const { prepared, version } = await checkServer(db);
    assert.equal([prepared, /^1[5-8]\./.test(version)], [false, true]);
    await migrate(db);
    assert.is((await checkServer(db)).prepared, true);
  });

  test('refuses versions outside of 15 to 18', async () => {
    for (const major of ['14', '19', '10']) {
      const error = await rejects<StageError>(
        checkServer(answering({ number: `${major}0003`, standby: 'f', whole: 't' })),
      );
      assert.is(error.code, 'configuration_invalid');
      assert.match(error.message, new RegExp(`PostgreSQL ${major}\\b`));
      assert.match(error.hint ?? '', /15 to 18/);
    }
    for (const major of ['15', '16', '17', '18']) {
      await checkServer(answering({ number: `${major}0003`, standby: 'f', whole: 't' }));
    }
  });

  test("reads the version without the database's own casts", async () => {
    await database.query('CREATE CAST (text AS integer) WITH FUNCTION hashtext(text)');
    assert.is((await checkServer(db)).prepared, true);
  });

  test('refuses a standby', async () => {
    const error = await rejects<StageError>(
      checkServer(answering({ number: '170003', standby: 't' })),
    );
    assert.is(error.code, 'upstream_unavailable');
    assert.match(error.message, /standby/);
  });
});
