/** Finds out, on another connection, whether a transaction was committed whose COMMIT got no response. */
import { setTimeout as delay } from 'node:timers/promises';
import { StageError } from '../errors.ts';
import type { Backend } from './backend.ts';
import { endBackends, keyOf, queryActivity } from './backend.ts';
import type { Connections } from './connections.ts';
import type { Queryable } from './queryable.ts';

/** Longer than idle_in_transaction_session_timeout, which ends the backend at the latest. */
const waitMs = 20_000;
const checkIntervalMs = 100;
/** How long a synchronous standby may take to confirm what is committed on the primary. */
const standbyMs = 5_000;

type Upstream = Queryable & Pick<Connections, 'use'>;

/**
 * Demands that a transaction was committed; returns if it was.
 * @param isDone checks whether its changes are there; it must recognize them even if others changed them since
 * @throws StageError `upstream_unavailable`, which states whether anything was changed, if that is known
 */
export async function demandCommitted(
  db: Upstream,
  backend: Backend | null,
  cause: unknown,
  isDone: ((db: Queryable) => Promise<boolean>) | undefined,
): Promise<void> {
  const outcome = await queryOutcome(db, backend, isDone).catch(() => 'unknown' as const);
  if (outcome === 'committed') return;
  const { said, hint } = outcomes[outcome];
  throw new StageError(
    'upstream_unavailable',
    `the connection was lost while the change was made: ${said}`,
    {
      hint,
      // a failover may still lose the change
      facts: { reason: `outcome_${outcome === 'local' ? 'unknown' : outcome}` },
      cause,
    },
  );
}

const outcomes = {
  unknown: {
    said: 'whether it was made is not known',
    hint: 'It was made as a whole, or not at all: check with `stage session show` before you repeat it.',
  },
  local: {
    said: 'it was made, and no synchronous standby has confirmed it',
    hint: 'It is there now, and would be lost with this host: check the standbys in pg_stat_replication and synchronous_standby_names.',
  },
  undone: { said: 'nothing was changed', hint: 'Nothing is lost: try again in a moment.' },
} as const;

type Outcome = 'committed' | keyof typeof outcomes;

async function queryOutcome(
  db: Upstream,
  backend: Backend | null,
  isDone: ((db: Queryable) => Promise<boolean>) | undefined,
): Promise<Outcome> {
  if (backend === null) return 'unknown';
  const end = performance.now() + waitMs;
  while (performance.now() < end) {
    const doing = (await queryActivity(db, [backend])).get(keyOf(backend));
    if (doing === 'idle' || doing === 'gone') return outcomeOf(db, isDone);
    // the COMMIT has not arrived, and the connection that it was sent on is lost
    if (doing === 'waiting') await endBackends(db, [backend]);
    await delay(checkIntervalMs);
  }
  return 'unknown';
}

/** Returns the outcome of a transaction whose backend no longer works on it. */
async function outcomeOf(
  db: Upstream,
  isDone: ((db: Queryable) => Promise<boolean>) | undefined,
): Promise<Outcome> {
  if (isDone === undefined) return 'unknown';
  if (!(await isDone(db))) return 'undone';
  return (await isReplicated(db)) ? 'committed' : 'local';
}

/** Checks whether the required synchronous standbys, if any, have all commits so far, by waiting until they confirm another commit. */
async function isReplicated(db: Upstream): Promise<boolean> {
  const [row] = await db.query(`SELECT current_setting('synchronous_standby_names') <> ''
    AND current_setting('synchronous_commit') NOT IN ('off', 'local') AS waits`);
  if (row?.['waits'] !== 't') return true;
  return db.use(async (connection) => {
    await connection.query('BEGIN');
    await connection.query(`SELECT pg_logical_emit_message(true, 'stage', '')`);
    const confirmed = connection.commit().then(
      ({ isLocal }) => !isLocal,
      () => false,
    );
    const isInTime = await Promise.race([confirmed, delay(standbyMs, null, { ref: false })]);
    if (isInTime !== null) return isInTime;
    if (connection.backend !== null) await endBackends(db, [connection.backend]);
    return confirmed;
  });
}
