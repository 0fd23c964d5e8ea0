/** Finds the connections whose staged writes lock a session now, by any route to the database. */
import type { Database, Row } from '../db/database.ts';
import type { Connection, ConnectionState } from '../model/connection.ts';
import { connectionStates } from '../model/connection.ts';
import { sessionUuid } from './session-id.ts';
import { sqlstateOf } from './session-lock.ts';

/** How long to wait for the session's lock, and when to query who blocks the wait. */
const waitMs = 600;
const checkIntervalMs = 150;

/** The service's own connections are left out: these are reviews in this or another daemon. */
const selectBlockers = `
SELECT a.pid, a.usename AS role, host(a.client_addr) AS address, stage.iso_time(a.backend_start) AS connected_at, a.state
FROM pg_stat_activity a
WHERE a.pid = ANY (pg_blocking_pids($1)) AND NOT (a.usename = current_user AND a.application_name = 'stage')
ORDER BY a.pid`;

/**
 * Lists the connections whose transactions lock the session. It requests the session's lock and queries who blocks it. Of several
 * holders it finds the one that the lock waits for first.
 * @throws StageError `session_not_found` for an invalid session id
 */
export async function listHolders(db: Database, id: string): Promise<Connection[]> {
  const uuid = sessionUuid(id);
  return db.transaction(async (tx) => {
    const [self] = await tx.query(
      `SELECT pg_backend_pid() AS pid, set_config('lock_timeout', '${waitMs}ms', true)`,
    );
    const locked = tx.query('SELECT FROM stage.session WHERE id = $1 FOR UPDATE', [uuid]).then(
      () => true,
      (error: unknown) => {
        if (sqlstateOf(error) === '55P03') return false;
        throw error;
      },
    );
    let timer: NodeJS.Timeout | undefined;
    const blockers = new Promise<Row[]>((resolve, reject) => {
      timer = setTimeout(() => {
        db.query(selectBlockers, [self?.['pid'] ?? null]).then(resolve, reject);
      }, checkIntervalMs);
    });
    blockers.catch(() => undefined);
    const isFree = await Promise.race([locked, blockers.then(() => false)]);
    if (isFree) clearTimeout(timer);
    const found = isFree ? [] : (await blockers).map(toConnection);
    await locked;
    return found;
  });
}

/**
 * Terminates the connection of a backend.
 * @returns whether it ended within 2 seconds; false if the service account lacks the right
 */
export async function terminateHolder(db: Database, { backend }: Connection): Promise<boolean> {
  try {
    const [row] = await db.query('SELECT pg_terminate_backend($1, 2000) AS done', [backend]);
    return row?.['done'] === 't';
  } catch (error) {
    if (sqlstateOf(error) === '42501') return false;
    throw error;
  }
}

function toConnection(row: Row): Connection {
  const state = row['state']?.replace(' (aborted)', '') ?? null;
  return {
    backend: Number(row['pid']),
    role: row['role'] ?? '',
    address: row['address'] ?? null,
    connectedAt: row['connected_at'] ?? null,
    state: connectionStates.find((each): each is ConnectionState => each === state) ?? null,
    through: 'elsewhere',
  };
}
