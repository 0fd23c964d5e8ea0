/** An upstream of two hosts: the daemon and its clients recover without help when the standby has become the primary. */
import pg from 'pg';
import { startDaemon } from '../../src/daemon/start.ts';
import { testConfig } from '../helpers/daemon.ts';
import { callHttp } from '../helpers/http.ts';
import type { ReplicatedPair } from '../helpers/standby.ts';
import { startReplicatedPair } from '../helpers/standby.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

type Daemon = Awaited<ReturnType<typeof startDaemon>>;

suite('an upstream of several hosts', (test) => {
  let pair: ReplicatedPair | null = null;
  const daemons: Daemon[] = [];
  const clients: pg.Client[] = [];
  test.after(async () => {
    for (const client of clients) await client.end().catch(() => undefined);
    for (const daemon of daemons) await daemon.stop();
    await pair?.stop();
  });

  let logged = '';
  async function start(upstream: string): Promise<Daemon> {
    const stderr = {
      write: (text: string) => {
        logged += text;
      },
    };
    const daemon = await startDaemon(testConfig({ upstream }), { env: {}, stderr, version: '0' });
    daemons.push(daemon);
    return daemon;
  }
  async function connect({ proxyAddress }: Daemon, session: string, url: string) {
    const target = new URL(url);
    target.host = `${proxyAddress.host}:${proxyAddress.port}`;
    target.search = `?options=${encodeURIComponent(`-c service_session=${session}`)}`;
    const client = new pg.Client({ connectionString: target.href });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  }
  const direct = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client.query(text).finally(() => client.end());
  };

  test(
    'a standby alone is told as such; with the primary named after it, that is used',
    async () => {
      pair = await startReplicatedPair();
      const { primary, standby } = pair;
      const alone = await start(standby.url);
      const { body } = await callHttp(alone.restUrl, 'GET', '/health');
      assert.is(body.status, 'degraded');
      assert.match(body.error, /read-only standby/);
      const { password } = primary;
      const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
      const both = await start(`postgresql://postgres:${password}@${hosts}/postgres`);
      assert.is((await callHttp(both.restUrl, 'GET', '/health')).body.status, 'ok');
      assert.is((await callHttp(both.restUrl, 'POST', '/sessions', { json: {} })).status, 201);
    },
    { timeout: 90_000 },
  );

  for (const fate of ['dies', 'falls silent'] as const) {
    test(
      `when the primary ${fate} and the standby is promoted, everything goes on within 10 s`,
      () => failOver(fate),
      { timeout: 120_000 },
    );
  }

  async function failOver(fate: 'dies' | 'falls silent'): Promise<void> {
    if (fate === 'falls silent') {
      await pair?.stop();
      pair = await startReplicatedPair();
    }
    pair ??= await startReplicatedPair();
    const { primary, standby, url } = pair;
    await direct(
      primary.url,
      `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'old'), (2, 'old')`,
    );
    const daemon = await start(url);
    const call = (method: string, path: string) => callHttp(daemon.restUrl, method, path);
    const { body } = await call('POST', '/sessions');
    const session = body.session_id as string;
    const client = await connect(daemon, session, primary.url);
    await client.query(`UPDATE t SET v = 'staged' WHERE id = 1`);
    await until(async () => (await lag(primary, standby)) === 0);
    const lost = new Promise((resolve) => client.once('end', resolve));
    if (fate === 'dies') await primary.stop();
    else await freeze(primary, 'SIGSTOP');
    await direct(standby.url, 'SELECT pg_promote()');
    const promoted = performance.now();
    await until(async () => (await call('GET', '/health')).body.status === 'ok');
    const back = await connect(daemon, session, standby.url);
    await back.query(`UPDATE t SET v = 'staged, too' WHERE id = 2`);
    const seconds = (performance.now() - promoted) / 1000;
    assert.ok(seconds < 10, `back after ${seconds} s`);
    await lost;
    await back.end();
    await call('POST', `/sessions/${session}/propose`);
    assert.is((await call('POST', `/sessions/${session}/approve`)).status, 200);
    assert.equal((await direct(standby.url, 'SELECT v FROM t ORDER BY id')).rows, [
      { v: 'staged' },
      { v: 'staged, too' },
    ]);
    assert.is((await call('GET', '/audit/verify')).body.ok, true);
    const isReported = () => logged.includes('older timeline');
    assert.not(isReported());
    if (fate === 'falls silent') {
      // the old primary continues, and is the only one that responds
      await freeze(primary, 'SIGCONT');
      await standby.stop();
      await until(isReported);
    }
    await daemons.pop()?.stop();
  }

  /** Returns the number of bytes that the standby still has to replay. */
  async function lag(
    { url: from }: { url: string },
    { url: to }: { url: string },
  ): Promise<number> {
    const { rows } = await direct(from, 'SELECT pg_current_wal_lsn() AS lsn');
    const at = `SELECT pg_wal_lsn_diff('${rows[0].lsn}', pg_last_wal_replay_lsn())::float AS bytes`;
    return Math.max(0, (await direct(to, at)).rows[0].bytes);
  }

  /** Stops the server with all of its backends, or lets them continue. */
  async function freeze({ url }: { url: string }, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    if (signal === 'SIGSTOP') {
      const { rows } = await direct(url, 'SELECT pid FROM pg_stat_activity');
      const { rows: of } = await direct(
        url,
        `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`,
      );
      frozen = [...of, ...rows].map(({ pid }) => pid as number);
    }
    for (const pid of frozen) {
      try {
        process.kill(pid, signal);
      } catch {
        // the backend of the query itself has ended
      }
    }
  }
  let frozen: number[] = [];
});
