/** The server's side of a connection: which process it is, and whether that still works on what it was sent. */
import type { Socket } from 'node:net';
import pg from 'pg';
import { lostSettings, noticeGone, readBack, settingsLost } from './connection-settings.ts';
import type { Queryable } from './queryable.ts';

/** Names one backend of the server: process ids come again, together with the start they do not. */
export interface Backend {
  readonly pid: string;
  readonly started: string;
}

/** What a backend does: works, waits for us inside a transaction, has no transaction, or is no more. */
type Doing = 'working' | 'waiting' | 'idle' | 'gone';

const meetingMs = 10_000;

/**
 * Looks who is at the other end of a connection that has just been opened.
 * @throws StageError `configuration_invalid` when it did not keep the settings it was opened with
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

// a backend whose message came only in part is `active`, too, and waits for the rest
const whatTheyDo = `
SELECT b.started || ' ' || b.pid AS backend, CASE
  WHEN a.pid IS NULL THEN 'gone'
  WHEN a.state = 'idle' THEN 'idle'
  WHEN a.state IN ('active', 'disabled') AND a.wait_event IS DISTINCT FROM 'ClientRead' THEN 'working'
  ELSE 'waiting' END AS doing
FROM json_to_recordset($1) AS b (pid int, started text)
LEFT JOIN pg_stat_activity a ON a.pid = b.pid AND a.backend_start::text = b.started`;

const end = `
SELECT pg_terminate_backend(a.pid) FROM json_to_recordset($1) AS b (pid int, started text)
JOIN pg_stat_activity a ON a.pid = b.pid AND a.backend_start::text = b.started`;

/** A key for maps. */
export const keyOf = ({ pid, started }: Backend): string => `${started} ${pid}`;

/** Asks, on another connection, what backends do. */
export async function askWhatTheyDo(
  db: Queryable,
  backends: readonly Backend[],
): Promise<Map<string, Doing>> {
  const rows = await db.query(whatTheyDo, [JSON.stringify(backends)]);
  return new Map(rows.map((row) => [String(row['backend']), row['doing'] as Doing]));
}

/** Ends backends that wait for a client which can no longer reach them: they would go on holding their locks. */
export async function endBackends(db: Queryable, backends: readonly Backend[]): Promise<void> {
  if (backends.length > 0) await db.query(end, [JSON.stringify(backends)]);
}

/** The socket under a connection of pg's, which has no name for it. */
export const socketOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** Opens a connection, does some work on it and closes it, all within a time: else the connection is cut. */
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
