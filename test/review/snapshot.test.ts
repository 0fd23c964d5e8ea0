/** Snapshots end, whatever runs in them, and whoever reads from them. */
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import type { StageError } from '../../src/errors.ts';
import { inSnapshot } from '../../src/review/snapshot.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('review: snapshots', (test) => {
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

  /** Asserts that the pool's only connection works again, without the snapshot's limits. */
  const served = async () => {
    const [row] = await db.query(
      `SELECT current_setting('statement_timeout') AS statements, current_setting('transaction_isolation') AS isolation`,
    );
    assert.equal(row, { statements: '10min', isolation: 'read committed' });
  };

  test('give what the work gives', async () => {
    const rows = await inSnapshot(db, (tx) => tx.query('SELECT 1 AS one'));
    assert.equal(rows, [{ one: '1' }]);
    await served();
  });

  test('end a statement that takes longer', async () => {
    const work = inSnapshot(db, (tx) => tx.query('SELECT pg_sleep(60)'), 200);
    const error = await rejects<StageError>(work);
    assert.equal([error.code, error.status], ['took_too_long', 504]);
    await served();
  });

  test('end many statements that take longer together', async () => {
    const work = inSnapshot(
      db,
      async (tx) => {
        for (;;) await tx.query('SELECT pg_sleep(0.05)');
      },
      300,
    );
    assert.is((await rejects<StageError>(work)).code, 'took_too_long');
    await served();
  });

  test('end under a reader that comes too late', async () => {
    let late: (() => Promise<unknown>) | undefined;
    const work = inSnapshot(
      db,
      (tx) => {
        late = () => tx.query('SELECT 1');
        return new Promise(() => undefined);
      },
      200,
    );
    assert.is((await rejects<StageError>(work)).code, 'took_too_long');
    assert.is((await rejects<StageError>(late?.() as Promise<unknown>)).code, 'took_too_long');
    await served();
  });

  test('are closed to whoever keeps what they were given', async () => {
    const tx = await inSnapshot(db, async (given) => given);
    assert.match((await rejects(tx.query('SELECT 1'))).message, 'the snapshot was closed');
    await served();
  });
});
