/**
 * A primary without its synchronous standby: what only it has committed is not reported as approved, and the warning of a COMMIT is passed
 * on.
 */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import type { TestServer } from '../runner/server.ts';
import { defaultMajor, startTestServer } from '../runner/server.ts';

suite('a primary whose synchronous standby is gone', (test) => {
  let server: TestServer;
  let database: TestDatabase;
  let daemon: TestDaemon;
  test.before(async () => {
    const major = process.env['STAGE_TEST_PG'] || defaultMajor;
    server = await startTestServer(undefined, major, { synchronous_commit: 'on' });
    process.env['STAGE_TEST_UPSTREAM'] = server.url;
    database = await createTestDatabase({ template: 'migrated' });
    await database.query('CREATE TABLE t (id int PRIMARY KEY, v text)');
    daemon = await startTestDaemon({ database });
  });
  test.after(async () => {
    await daemon.stop();
    await database.drop();
    await server.stop();
  });

  /** Sets the name of the standby, and waits until the server's processes of the given clients, too, have read it. */
  const demandStandby = async (name: string, ...clients: readonly pg.Client[]) => {
    await database.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await database.query('SELECT pg_reload_conf()');
    const text = `SELECT current_setting('synchronous_standby_names') AS set`;
    await until(async () => (await database.query<{ set: string }>(text))[0]?.set === name);
    for (const client of clients)
      await until(async () => (await client.query(text)).rows[0]?.set === name);
  };
  /** Cancels or terminates every backend whose COMMIT waits, the service's own too, until there is an answer. */
  const interrupt = async <T>(how: 'cancel' | 'terminate', answer: Promise<T>): Promise<T> => {
    let isAnswered = false;
    const heard = () => {
      isAnswered = true;
    };
    void answer.then(heard, heard);
    await until(async () => {
      await database.query(
        `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
      );
      return isAnswered;
    });
    return answer;
  };
  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    const notices: (string | undefined)[] = [];
    client.on('notice', ({ severity, code, message }) =>
      notices.push(`${severity} ${code} ${message}`),
    );
    // the server's end, after a failed test, is not the failure to report
    client.on('error', () => undefined);
    await client.connect();
    return { client, notices };
  };

  test('passes the warning of a COMMIT on, as PostgreSQL gives it', async () => {
    const staged = await connect(daemon.clientUrl(await daemon.newSession()));
    const direct = await connect(database.url);
    await staged.client.query(`INSERT INTO t VALUES (1, 'a')`);
    await demandStandby('nobody', staged.client, direct.client);
    for (const [id, { client }] of [direct, staged].entries()) {
      const answer = client.query(`INSERT INTO t VALUES (${id + 2}, 'b')`);
      assert.is((await interrupt('cancel', answer)).rowCount, 1);
    }
    await demandStandby('');
    assert.is(direct.notices.length, 1);
    assert.equal(staged.notices, direct.notices);
    await staged.client.end();
    await direct.client.end();
    await database.query('TRUNCATE t');
  });

  for (const how of ['cancel', 'terminate'] as const) {
    test(`does not report an approval as made after ${how} of its COMMIT`, async () => {
      const id = await daemon.newSession();
      const { client } = await connect(daemon.clientUrl(id));
      await client.query(`INSERT INTO t VALUES (${how.length}, 'c')`);
      await client.end();
      await daemon.call('POST', `/sessions/${id}/propose`);
      await demandStandby('nobody');
      const answer = daemon.call('POST', `/sessions/${id}/approve`);
      await until(async () => {
        const { status, body } = await daemon.call('GET', '/health');
        return status === 503 && /synchronous standby/.test(String(body.error));
      });
      const { status, body } = await interrupt(how, answer);
      assert.is(status, 503);
      assert.is(body.reason, 'outcome_unknown');
      await demandStandby('');
      assert.is((await daemon.call('GET', `/sessions/${id}`)).body.status, 'approved');
      await until(async () => (await daemon.call('GET', '/health')).status === 200);
    });
  }
});
