/** An approval whose connection to PostgreSQL stops transmitting: what it locks, whom it blocks, and what its caller is told. */
import type { ChildProcess } from 'node:child_process';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { FaultProxy, Moment } from '../helpers/fault-proxy.ts';
import { startFaultProxy } from '../helpers/fault-proxy.ts';
import { callHttp } from '../helpers/http.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { until } from '../helpers/until.ts';

/** The fate of the daemon when its connection stops transmitting. If it is killed, nobody learns of its end. */
export type Fate = 'alive' | 'frozen' | 'killed';
export const fates: readonly Fate[] = ['alive', 'frozen', 'killed'];

export const moments: readonly Moment[] = [
  { word: 'stage.review_relations', lost: 'answer' },
  { word: 'stage_data.lock_', lost: 'answer' },
  { word: 'stage_data.conflicts_', lost: 'message' },
  { word: 'stage.approve_session(', lost: 'message' },
  { word: 'stage.approve_session(', lost: 'answer' },
  { word: 'COMMIT', lost: 'message' },
  { word: 'COMMIT', lost: 'answer' },
];

export interface BlackHole {
  /** Milliseconds until production could write the rows of the approval. */
  readonly freedMs: number;
  /** Milliseconds until another daemon approved another session. */
  readonly otherMs: number;
  /** Milliseconds until the caller had a response; null if the daemon was killed. */
  readonly answeredMs: number | null;
  /** Milliseconds from the repair of the connection until all connections of the daemon's pools worked; null if it was killed. */
  readonly wholeMs: number | null;
  readonly answer: {
    readonly status: number;
    readonly error: string | null;
    readonly reason: string | null;
  } | null;
  /** The state of the session before anybody sent another request. */
  readonly found: string;
  /** The faults; empty for none. */
  readonly anomalies: readonly string[];
}

/** The number of connections of a pool. */
const poolSize = 10;

/** Sends one approval into a black hole, in its own database. */
export async function fallIntoBlackHole(fate: Fate, moment: Moment): Promise<BlackHole> {
  const database = await createTestDatabase({ template: 'migrated' });
  await database.query(
    'CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account SELECT g, 0 FROM generate_series(1, 20) g',
  );
  const other = await startTestDaemon({ database });
  const proxy = await startFaultProxy(database);
  const { child, restUrl: url } = await spawnDaemon(proxy.urlFor(database), {
    settings: { maxConnections: 20 },
  });
  try {
    return await observe({ database, other, proxy, child, url }, fate, moment);
  } finally {
    child.kill('SIGKILL');
    await proxy.stop();
    await other.stop();
    await database.drop();
  }
}

interface Scene {
  readonly database: TestDatabase;
  readonly other: TestDaemon;
  readonly proxy: FaultProxy;
  readonly child: ChildProcess;
  readonly url: string;
}

async function observe(scene: Scene, fate: Fate, moment: Moment): Promise<BlackHole> {
  const { other, proxy, child, url } = scene;
  const mine = await propose(scene, 'UPDATE account SET balance = balance + 1 WHERE id <= 3');
  const theirs = await propose(scene, 'UPDATE account SET balance = balance + 1 WHERE id = 10');
  const silent = proxy.silenceAt(moment);
  const asked = approveInto(silent, url, mine);
  const early = asked.then((answer) => {
    throw new Error(`answered before the silence: ${answer?.status} ${answer?.text}`);
  });
  await Promise.race([silent, early]);
  const elapsed = stopwatch();
  const answered = asked.then((answer) => ({ answer, ms: elapsed() }));
  if (fate === 'frozen') child.kill('SIGSTOP');
  if (fate === 'killed') child.kill('SIGKILL');
  const approved = until(() => isGood(other.call('POST', `/sessions/${theirs}/approve`)));
  const [freedMs, otherMs] = await Promise.all([
    until(() => canWrite(scene)).then(elapsed),
    approved.then(elapsed),
  ]);
  if (fate === 'alive') await answered;
  proxy.restore();
  const back = stopwatch();
  if (fate === 'frozen') child.kill('SIGCONT');
  const { answer, ms } = await answered;
  const wholeMs = fate === 'killed' ? null : await wholePool(url, theirs).then(back);
  const found = await stateOf(scene, mine);
  const body = answer?.body;
  const reported = answer && {
    status: answer.status,
    error: body.error ?? null,
    reason: body.reason ?? null,
  };
  const anomalies = [...check(reported, found), ...(await checkRepeated(scene, mine))];
  return {
    freedMs,
    otherMs,
    answeredMs: answer && ms,
    wholeMs,
    answer: reported,
    found,
    anomalies,
  };
}

/** Sends an approval, again where a slow machine has answered 503 before the silence. Returns null if the connection was lost. */
async function approveInto(silent: Promise<unknown>, url: string, session: string) {
  let isSilent = false;
  void silent.then(() => {
    isSilent = true;
  });
  for (;;) {
    const answer = await callHttp(url, 'POST', `/sessions/${session}/approve`).catch(() => null);
    if (isSilent || answer?.status !== 503) return answer;
  }
}

/** Checks that the caller was told what is in the database. */
function check(reported: BlackHole['answer'], found: string): string[] {
  if (!/^(proposed 0|approved 1)$/.test(found)) return [`state and data disagree: ${found}`];
  if (reported === null || reported.reason === 'outcome_unknown') return [];
  const expected = reported.status === 200 ? 'approved 1' : 'proposed 0';
  const isReported =
    reported.status === 200 ||
    (reported.status === 503 && reported.error === 'upstream_unavailable');
  return [
    ...(isReported ? [] : [`answered ${reported.status} ${reported.error}`]),
    ...(found === expected
      ? []
      : [`answered ${reported.status} ${reported.reason}, found ${found}`]),
  ];
}

/** Repeats the approval, which must succeed or report that it did. The rows are changed once, and the audit is complete. */
async function checkRepeated(scene: Scene, session: string): Promise<string[]> {
  const { other } = scene;
  // the server releases a killed daemon's lock of the session when it notices
  await until(async () => {
    const { body } = await other.call('POST', `/sessions/${session}/approve`);
    return body.error !== 'session_busy';
  });
  const found = await stateOf(scene, session);
  const { body } = await other.call('GET', '/audit/verify');
  return [
    ...(found === 'approved 1' ? [] : [`asked again: ${found}`]),
    ...(body.ok === true ? [] : [`audit: ${JSON.stringify(body)}`]),
  ];
}

async function stateOf({ other, database }: Scene, session: string): Promise<string> {
  const { body } = await other.call('GET', `/sessions/${session}`);
  const rows = await database.query<{ balance: number }>(
    'SELECT DISTINCT balance FROM account WHERE id <= 3',
  );
  return `${body.status} ${rows.map(({ balance }) => balance).join()}`;
}

async function propose({ other }: Scene, statement: string): Promise<string> {
  const session = await other.newSession();
  const client = new pg.Client({ connectionString: other.clientUrl(session) });
  await client.connect();
  await client.query(statement);
  await client.end();
  await until(() => isGood(other.call('POST', `/sessions/${session}/propose`)));
  return session;
}

const canWrite = ({ database }: Scene) =>
  database
    .query(`SET LOCAL lock_timeout = '200ms'; UPDATE account SET balance = balance WHERE id <= 3`)
    .then(
      () => true,
      () => false,
    );

const isGood = async (call: Promise<{ status: number }>) => (await call).status === 200;

/** Sends reads, and as many proposals of the session, which is decided already: these need no more than its row. */
const wholePool = (url: string, session: string) =>
  until(async () => {
    const calls = Array.from({ length: poolSize }, () => [
      callHttp(url, 'GET', `/sessions/${session}`),
      callHttp(url, 'POST', `/sessions/${session}/propose`),
    ]);
    const statuses = (await Promise.all(calls.flat())).map(({ status }) => status);
    return statuses.every((status) => status === 200 || status === 409);
  });

function stopwatch(): () => number {
  const start = performance.now();
  return () => Math.round(performance.now() - start);
}
