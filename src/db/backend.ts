/** The server process of a connection: its identity, and whether it works on a statement. */
import type { Socket } from 'node:net';
import pg from 'pg';
import { lostSettings, noticeGone, readBack, settingsLost } from './connection-settings.ts';
import type { Queryable } from './queryable.ts';

/** Identifies a backend of the server. Process ids are reused, but not with the same start time. */
export interface Backend {
  readonly pid: string;
  readonly started: string;
}

/** The state of a backend: works, waits for its client inside a transaction, is outside of a transaction, or does not exist. */
type Activity = 'working' | 'waiting' | 'idle' | 'gone';

const meetingMs = 10_000;

/**
 * Returns the backend of a new connection.
 * @throws StageError `configuration_invalid` if the connection lost the settings it was opened with
 */
export async function meetBackend(client: pg.ClientBase): Promise<Backend> {
  const cut = () => socketOf(client).destroy(new Error('timeout expired'));
  const timer = setTimeout(cut, meetingMs);
  try {
    const { rows } = await client.query<Backend & { settings: string }>(readBack);
    const { pid = '', started = '', settings = null } = rows[0] ?? {};
    const lost = lostSettings(settings);
    if (lost.length > 0) throw settingsLost(lost);
    await client.query(`SET ${noticeGone.join(' = ')}`).catch(() => undefined);
    return { pid, started };
  } finally {
    clearTimeout(timer);
  }
}

// a backend that has received only part of a message is `active`, too, with the wait event ClientRead
const selectActivity = `
SELECT concat_ws(' ', b.started, b.pid) AS backend, CASE
  WHEN a.pid IS NULL THEN 'gone'
  WHEN a.state = 'idle' THEN 'idle'
  WHEN a.state IN ('active', 'disabled') AND a.wait_event IS DISTINCT FROM 'ClientRead' THEN 'working'
  ELSE 'waiting' END AS activity
FROM json_to_recordset($1) AS b (pid int, started text)
LEFT JOIN pg_stat_activity a ON a.pid = b.pid AND a.backend_start::text = b.started`;

const end = `
SELECT pg_terminate_backend(a.pid) FROM json_to_recordset($1) AS b (pid int, started text)
JOIN pg_stat_activity a ON a.pid = b.pid AND a.backend_start::text = b.started`;

/** Returns a backend's key for maps. */
export const keyOf = ({ pid, started }: Backend): string => `${started} ${pid}`;

/** Queries the state of backends, on another connection. */
export async function queryActivity(
  db: Queryable,
  backends: readonly Backend[],
): Promise<Map<string, Activity>> {
  const rows = await db.query(selectActivity, [JSON.stringify(backends)]);
  return new Map(rows.map((row) => [String(row['backend']), row['activity'] as Activity]));
}

/** Terminates backends that wait for unreachable clients, because they would keep their locks. */
export async function endBackends(db: Queryable, backends: readonly Backend[]): Promise<void> {
  if (backends.length > 0) await db.query(end, [JSON.stringify(backends)]);
}

/** Returns the socket of a pg connection, which pg's types do not expose. */
export const socketOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** Opens a connection, runs work on it and closes it. Cuts the connection after `ms` milliseconds. */
export async function onConnection(
  config: pg.ClientConfig,
  ms: number,
  work: (db: Queryable) => Promise<void>,
): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  const timer = setTimeout(() => socketOf(client).destroy(new Error('timeout expired')), ms);
  try {
    await client.connect();
    await work({
      query: async (text, values) => (await client.query(text, values && [...values])).rows,
    });
  } finally {
    clearTimeout(timer);
    void client.end();
  }
}
