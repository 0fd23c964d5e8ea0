/** The tables of which a session has staged rows: found without locks on all the others. */
import type pg from 'pg';
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

  const namesOf = async (session: string) =>
    (
      await staging.service.query(
        'SELECT r::regclass::text AS name FROM stage.staged_relations($1) r ORDER BY r',
        [session.slice('sess_'.length)],
      )
    ).map(({ name }) => name);

  test('are found in sessions that began before they were recorded', async () => {
    const session = await staging.open();
    await staging.stage(session, 'INSERT INTO t7 VALUES (1); INSERT INTO t50 VALUES (1)');
    const uuid = session.slice('sess_'.length);
    await staging.database.query(`DELETE FROM stage.staged_table WHERE session = '${uuid}'`);
    assert.equal(await namesOf(session), []);
    await staging.database.query(
      `UPDATE stage.session SET has_tables = false WHERE id = '${uuid}'`,
    );
    assert.equal(await namesOf(session), ['public.t7', 'public.t50']);
  });

  async function write(client: pg.Client, text: string): Promise<void> {
    const begin = `SELECT stage.begin_statement($1, '[]', '[]', '{}', current_setting('search_path'))`;
    await client.query(begin, [text]);
    await client.query(text);
  }

  test('are recorded by serializable transactions that meet', async () => {
    const session = await staging.open();
    const [one, other] = [await staging.connect(session), await staging.connect(session)];
    try {
      for (const client of [one, other]) await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
      await write(one, 'INSERT INTO t1 VALUES (1)');
      await write(other, 'INSERT INTO t2 VALUES (1)');
      for (const client of [one, other]) await client.query('COMMIT');
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
    assert.equal(await namesOf(session), ['public.t1', 'public.t2']);
  });

  test('are recorded once, and forgotten with their rows', async () => {
    const session = await staging.open();
    const recorded = async () =>
      staging.database.query(
        `SELECT relation::regclass::text AS name FROM stage.staged_table WHERE session = '${session.slice('sess_'.length)}'`,
      );
    await staging.stage(session, 'INSERT INTO t5 VALUES (1); INSERT INTO t5 VALUES (2)');
    assert.equal(await recorded(), [{ name: 't5' }]);
    await staging.service.query('SELECT stage.discard_rows($1, true)', [
      session.slice('sess_'.length),
    ]);
    assert.equal(await recorded(), []);
  });
});
