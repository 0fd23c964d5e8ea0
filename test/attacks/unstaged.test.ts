/** Writes that are not staged, because the client's transaction is READ ONLY: their calls are checked as those of reads are. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { fingerprint } from './fingerprint.ts';

/** Returns statements that PostgreSQL treats as reads, up to the call of nextval. */
const statements = (call: string) => [
  `SELECT ${call}, nextval('numbers')`,
  `SELECT CASE WHEN ${call} IS NULL THEN nextval('numbers') END`,
  `SELECT ${call} WHERE false AND nextval('numbers') > 0 OR true`,
];

const sent = (call: string, protocol: 'simple' | 'extended') => [
  ...statements(call),
  `EXECUTE reading(${call}::text)`,
  ...(protocol === 'simple' ? [`PREPARE p AS ${statements(call)[0]}; EXECUTE p`] : []),
];

const calls: Readonly<Record<string, string>> = {
  'a function with effects': 'pg_cancel_backend(0)',
  'a function with effects, with its schema': 'pg_catalog.pg_cancel_backend(0)',
  'one with effects by a user made in C': 'public.reach(0)',
  'one in attribute notation': '(0).reach',
  'set_config of a pinned setting': `set_config('standard_conforming_strings', 'off', false)`,
  'a function of the service': `stage.is_internal_schema(0)`,
};

suite('writes in READ ONLY transactions', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon;
  let before: string[];
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    await database.query(
      `CREATE SEQUENCE numbers; CREATE TABLE item (id int PRIMARY KEY);
       CREATE FUNCTION reach(int) RETURNS bool LANGUAGE internal STRICT AS 'pg_cancel_backend'`,
    );
    daemon = await startTestDaemon({ database });
    before = await fingerprint(database);
  });
  test.after(async () => {
    await daemon.stop();
    await database.drop();
  });

  for (const [name, call] of Object.entries(calls)) {
    for (const protocol of ['simple', 'extended'] as const) {
      test(`do not run ${name}, ${protocol}`, async () => {
        const url = daemon.clientUrl(await daemon.newSession());
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        for (const text of sent(call, protocol)) {
          await client.query('PREPARE reading(text) AS SELECT $1');
          await client.query('BEGIN READ ONLY');
          const failed = await rejects(
            client.query(protocol === 'simple' ? text : { text, values: [] }),
          );
          assert.ok(['0A000', '42501'].includes(failed.code ?? ''), `${text}: ${failed.message}`);
          await client.query('ROLLBACK');
          await client.query('DEALLOCATE ALL');
        }
        await client.end();
        assert.equal(await fingerprint(database), before);
      });
    }
  }
});
