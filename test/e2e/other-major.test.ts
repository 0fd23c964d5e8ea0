/** A database that moves to a newer major version of PostgreSQL: staged rows are retained, and checked by the new server's rules. */
import pg from 'pg';
import { generationOn } from '../../src/overlay/generation.ts';
import type { Cluster } from '../helpers/clusters.ts';
import { dumpAndRestore, startCluster } from '../helpers/clusters.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase, serverMajor } from '../helpers/database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE parent (id int PRIMARY KEY, v text);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE RESTRICT);
INSERT INTO parent VALUES (1, 'a'), (2, 'b'); INSERT INTO child VALUES (1, 1);`;
const restrained = 'DELETE FROM parent WHERE id = 1';

suite('a newer major version of PostgreSQL', (test) => {
  let old: Cluster | null = null;
  let database: TestDatabase;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
  });
  test.after(async () => {
    await old?.stop();
    await database.drop();
  });

  async function run(daemon: TestDaemon, session: string, text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: daemon.clientUrl(session) });
    await client.connect();
    return client
      .query(text)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }

  /** Returns the database of the older cluster in the form that a daemon takes. */
  function before(cluster: Cluster): TestDatabase {
    const url = new URL(cluster.urlOf('shop'));
    const [user, password] = [url.username, decodeURIComponent(url.password)];
    return { ...database, url: url.href, name: 'shop', user, password };
  }

  test(
    'makes the objects of tables anew, by its own rules',
    async () => {
      old = await startCluster();
      await old.query('postgres', 'CREATE DATABASE shop');
      await old.query('shop', schema);
      const first = await startTestDaemon({ database: before(old) });
      const session = await first.newSession({ reads: 'staged' });
      await run(first, session, `UPDATE parent SET v = 'staged' WHERE id = 2`);
      assert.is((await rejects(run(first, session, restrained))).code, '23503');
      const diff = (await first.call('GET', `/sessions/${session}/diff`)).body;
      await first.stop();

      await dumpAndRestore(old.urlOf('shop'), database.url);
      const second = await startTestDaemon({ database });
      try {
        assert.equal((await second.call('GET', `/sessions/${session}/diff`)).body, diff);
        const major = await serverMajor();
        const refusal = await rejects(run(second, session, restrained));
        assert.is(refusal.code, major >= 18 ? '23001' : '23503');
        const [made] = await database.query<{ generation: string }>(
          `SELECT generation FROM stage.overlay WHERE table_name = 'parent'`,
        );
        assert.is(made?.generation, generationOn(major));
        assert.equal(await run(second, session, 'SELECT v FROM parent WHERE id = 2'), [
          { v: 'staged' },
        ]);
        await second.call('POST', `/sessions/${session}/propose`);
        const { status } = await second.call('POST', `/sessions/${session}/approve`);
        assert.is(status, 200);
        assert.equal(await database.query('SELECT v FROM parent WHERE id = 2'), [{ v: 'staged' }]);
      } finally {
        await second.stop();
      }
    },
    { timeout: 120_000 },
  );
});
