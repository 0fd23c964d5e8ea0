/** Watches how long daemons are without service while clients reach a primary. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDatabase } from '../../helpers/database.ts';
import { urlThrough } from '../../helpers/database.ts';
import { until } from '../../helpers/until.ts';
import type { Cluster } from './cluster.ts';

export interface Watch {
  /** Waits until all daemons are ready. */
  untilReady(): Promise<void>;
  /** Ends it. Returns by daemon the longest time, in milliseconds, for which it was not ready although clients could reach a primary. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

const everyMs = 200;
const longestAnswerMs = 2_000;

/** @param daemons the URLs of their REST interfaces, by name */
export function watchService(
  cluster: Cluster,
  database: TestDatabase,
  daemons: Readonly<Record<string, string>>,
): Watch {
  const names = Object.keys(daemons);
  const ready = () => Promise.all(names.map((name) => isReady(daemons[name] as string)));
  const since = new Map<string, number>();
  const longest = new Map(names.map((name) => [name, 0]));
  let isOver = false;
  const look = async () => {
    const begun = performance.now();
    const [isReachable, areReady] = await Promise.all([hasPrimary(cluster, database), ready()]);
    for (const [index, name] of names.entries()) {
      if (areReady[index] || !isReachable) since.delete(name);
      else if (!since.has(name)) since.set(name, begun);
      const ms = performance.now() - (since.get(name) ?? performance.now());
      longest.set(name, Math.max(longest.get(name) ?? 0, Math.round(ms)));
    }
    await delay(everyMs);
  };
  const watching = (async () => {
    while (!isOver) await look();
  })();
  return {
    untilReady: async () => void (await until(async () => (await ready()).every(Boolean))),
    stop: async () => {
      isOver = true;
      await watching;
      return Object.fromEntries(longest);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(longestAnswerMs);
  return (await fetch(`${url}/readyz`, { signal }).catch(() => null))?.status === 200;
}

async function hasPrimary({ nodes }: Cluster, database: TestDatabase): Promise<boolean> {
  const asked = nodes.map(({ clients }) => isPrimary(urlThrough(clients.port, database)));
  return (await Promise.all(asked)).includes(true);
}

/** Returns whether a client that connects now may write. */
async function isPrimary(connectionString: string): Promise<boolean> {
  const limits = { connectionTimeoutMillis: 1000, query_timeout: 1000 };
  const client = new pg.Client({ connectionString, ...limits });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS follows');
    return rows[0].follows === false;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}
