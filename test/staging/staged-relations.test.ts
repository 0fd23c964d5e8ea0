/** The tables of which a session has staged rows: found without locks on all the others. */
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

/** More than one batch. */
const tables = 52;

suite('tables with staged rows', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    const made = Array.from({ length: tables }, (_, number) => `CREATE TABLE t${number} (id int)`);
    staging = await createStagingDatabase(made.join('; '));
  });
  test.after(() => staging.close());

  test(
    'are found, and none of the others stays locked',
    async () => {
      const other = await staging.open();
      for (let number = 0; number < tables; number += 1) {
        await staging.stage(other, `INSERT INTO t${number} VALUES (1)`);
      }
      const session = await staging.open();
      await staging.stage(session, 'INSERT INTO t3 VALUES (1); INSERT INTO t51 VALUES (1)');
      const uuid = session.slice('sess_'.length);
      const { names, locks } = await staging.service.transaction(async (tx) => {
        const found = await tx.query(
          'SELECT r::regclass::text AS name FROM stage.staged_relations($1) r ORDER BY r',
          [uuid],
        );
        const [held] = await tx.query(
          `SELECT count(*)::int AS count FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
           WHERE l.pid = pg_backend_pid() AND c.relname LIKE 'shadow_%'`,
        );
        return { names: found.map(({ name }) => name), locks: held?.['count'] };
      }, 'repeatable read');
      assert.equal(names, ['public.t3', 'public.t51']);
      assert.is(locks, '0');
    },
    { timeout: 90_000 },
  );
});
