/** More slow approvals than there are connections for them: other decisions do not wait for them. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const approvals = 50;

suite('daemon: approvals that take long', (test) => {
  let daemon: TestDaemon;
  test.before(async () => {
    daemon = await startTestDaemon({ flags: { approveLockTimeoutMs: 20_000 } });
    await daemon.database.query(`
      CREATE TABLE slow (id int PRIMARY KEY, v text);
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN PERFORM pg_sleep(4); RETURN NEW; END $$;
      CREATE TRIGGER wait AFTER INSERT ON slow FOR EACH ROW EXECUTE FUNCTION wait()`);
  });
  test.after(() => daemon.stop());

  async function staged(statement: string): Promise<string> {
    const id = await daemon.newSession();
    const client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    await client.connect();
    await client.query(statement);
    await client.end();
    return id;
  }

  test(
    'leave everything else alone, and are told when there are too many',
    async () => {
      const [reopened, rejected] = [
        await staged(`INSERT INTO slow VALUES (1000)`),
        await staged(`INSERT INTO slow VALUES (1001)`),
      ];
      for (const id of [reopened, rejected]) await daemon.call('POST', `/sessions/${id}/propose`);
      const slow: string[] = [];
      for (let n = 0; n < approvals; n += 1) {
        const id = await staged(`INSERT INTO slow VALUES (${n})`);
        await daemon.call('POST', `/sessions/${id}/propose`);
        slow.push(id);
      }
      const asked = slow.map((id) => daemon.call('POST', `/sessions/${id}/approve`));
      // one is applied, and the others that have a connection wait for it
      await until(async () => {
        const [row] = await daemon.database.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_stat_activity
           WHERE datname = current_database() AND (wait_event = 'PgSleep' OR wait_event_type = 'Lock')`,
        );
        return (row?.n ?? 0) > 2;
      });
      const others = [
        ['GET', '/sessions', undefined],
        ['POST', '/sessions', {}],
        ['POST', `/sessions/${reopened}/reopen`, { message: 'again' }],
        ['POST', `/sessions/${rejected}/reject`, {}],
        ['DELETE', `/sessions/${reopened}`, undefined],
      ] as const;
      for (const [method, path, json] of others) {
        const start = performance.now();
        const { status } = await daemon.call(method, path, json === undefined ? {} : { json });
        assert.ok(status < 300, `${method} ${path}: ${status}`);
        const ms = performance.now() - start;
        assert.ok(ms < 2_000, `${method} ${path} took ${ms} ms`);
      }
      const answers = await Promise.all(asked);
      const reported = answers.filter(({ status }) => status !== 200);
      assert.ok(
        reported.length > 0 && reported.length < approvals,
        `${reported.length} were refused`,
      );
      for (const { status, body, headers } of reported) {
        assert.equal([status, body.error], [503, 'busy']);
        assert.ok(headers['retry-after']);
      }
      const [row] = await daemon.database.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM slow',
      );
      assert.is(row?.n, approvals - reported.length);
    },
    { timeout: 120_000 },
  );
});
