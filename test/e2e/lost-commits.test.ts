/** A failover that loses the last commits: production, sessions and audit lack the same ones. And the old primary, which returns. */
import pg from 'pg';
import { startDaemon } from '../../src/daemon/start.ts';
import { testConfig } from '../helpers/daemon.ts';
import { callHttp } from '../helpers/http.ts';
import type { ReplicatedPair } from '../helpers/standby.ts';
import { startReplicatedPair } from '../helpers/standby.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

type Daemon = Awaited<ReturnType<typeof startDaemon>>;

suite('a failover to a standby that lacks the last commits', (test) => {
  let pair: ReplicatedPair;
  let daemon: Daemon;
  /** The session approved before the standby was cut off, the one approved after that, and one created later. */
  let kept = '';
  let lost = '';
  let never = '';
  let checkpoint = '';
  const daemons: Daemon[] = [];
  test.after(async () => {
    for (const each of daemons) await each.stop();
    await pair?.stop();
  });

  async function start(): Promise<Daemon> {
    const io = { env: {}, stderr: { write: () => undefined }, version: '0' };
    const started = await startDaemon(testConfig({ upstream: pair.url, maxConnections: 9 }), io);
    daemons.push(started);
    return started;
  }
  const call = (method: string, path: string, through = daemon) =>
    callHttp(through.restUrl, method, path);
  const direct = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return (await client.query(text).finally(() => client.end())).rows;
  };
  const rowsOf = async ({ url }: { readonly url: string }) =>
    (await direct(url, 'SELECT v FROM t ORDER BY id')).map(({ v }) => v as string);

  async function propose(statement: string): Promise<string> {
    const session = (await call('POST', '/sessions')).body.session_id as string;
    const url = new URL(pair.primary.url);
    url.port = String(daemon.proxyAddress.port);
    url.searchParams.set('options', `-c service_session=${session}`);
    await direct(url.href, statement);
    assert.is((await call('POST', `/sessions/${session}/propose`)).status, 200);
    return session;
  }
  const approve = async (session: string, through = daemon) =>
    (await call('POST', `/sessions/${session}/approve`, through)).status;
  const statusOf = async (session: string) =>
    (await call('GET', `/sessions/${session}`)).body.status ?? null;

  test(
    'lacks them in production, sessions and audit alike, and the checkpoint tells',
    async () => {
      pair = await startReplicatedPair();
      const { primary, standby } = pair;
      await direct(
        primary.url,
        `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'old'), (2, 'old')`,
      );
      daemon = await start();
      kept = await propose(`UPDATE t SET v = 'kept' WHERE id = 1`);
      lost = await propose(`UPDATE t SET v = 'lost' WHERE id = 2`);
      assert.is(await approve(kept), 200);
      await until(async () => (await rowsOf(standby))[0] === 'kept');
      await pair.cutOff();
      assert.is(await approve(lost), 200);
      never = await propose('DELETE FROM t WHERE id = 1');
      checkpoint = (await call('GET', '/audit/verify')).body.head;
      assert.equal(await rowsOf(primary), ['kept', 'lost']);

      await primary.stop();
      await direct(standby.url, 'SELECT pg_promote()');
      await until(async () => (await call('GET', '/health')).body.status === 'ok');
      assert.equal(await rowsOf(standby), ['kept', 'old']);
      assert.equal(
        [await statusOf(kept), await statusOf(lost), await statusOf(never)],
        ['approved', 'proposed', null],
      );
      const { body: entries } = await call('GET', '/audit?project_id=default');
      assert.is(entries.total_count, 1);
      assert.is((await call('GET', '/audit/verify')).body.ok, true);
      const { body: verdict } = await call('GET', `/audit/verify?checkpoint=${checkpoint}`);
      assert.is(verdict.ok, false);
      assert.is(await approve(lost), 200);
      assert.equal(await rowsOf(standby), ['kept', 'lost']);
    },
    { timeout: 180_000 },
  );

  test(
    'when the old primary comes back and takes writes, neither this daemon nor a new one goes to it',
    async () => {
      await pair.restartPrimary();
      const late = await propose(`UPDATE t SET v = 'late' WHERE id = 2`);
      assert.is((await call('GET', '/health')).body.status, 'ok');
      const next = await start();
      assert.is((await call('GET', `/sessions/${late}`, next)).body.status, 'proposed');
      assert.is(await approve(late, next), 200);
      assert.equal(await rowsOf(pair.standby), ['kept', 'late']);
      assert.equal(await rowsOf(pair.primary), ['kept', 'lost']);
    },
    { timeout: 120_000 },
  );
});
