/** Divides production's connections: the service takes at most half of the free ones, and keeps two of these for decisions. */
import type { Queryable } from '../../db/database.ts';

/** Counts of production's connections. */
export interface Slots {
  /** Maximum for the server, without reserved ones. */
  readonly most: number;
  /** Number of connections in use, by anybody. */
  readonly taken: number;
  /** Number of these that the service itself uses. */
  readonly own: number;
}

/** The same, with the commits that wait. */
export interface Activity extends Slots {
  /** COMMITs that have waited for a synchronous standby for more than 5 s, if the service account may see them. */
  readonly waitingCommits: number;
}

export interface ConnectionBudget {
  /** Client connections that the proxy serves at once. */
  readonly clients: number;
  /** Sizes of the service's pools. */
  readonly pools: { readonly reading: number; readonly deciding: number; readonly proxy: number };
}

/** The service account may see no more of other roles' backends than their existence. Backends without database or user are internal. */
const selectSlots = `
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0) AS most,
  count(*) AS taken, count(*) FILTER (WHERE a.usename = current_user AND a.application_name = 'stage') AS own,
  count(*) FILTER (WHERE a.wait_event = 'SyncRep' AND a.query_start < clock_timestamp() - interval '5 s') AS commits
FROM pg_stat_activity a
WHERE a.datid IS NOT NULL AND a.usesysid IS NOT NULL AND coalesce(a.backend_type, 'client backend') = 'client backend'`;

/** Reads how many connections the server accepts, and how many are taken. */
export async function readSlots(db: Queryable): Promise<Activity> {
  const [row] = await db.query(selectSlots);
  const count = (name: string) => Number(row?.[name]);
  return {
    most: count('most'),
    taken: count('taken'),
    own: count('own'),
    waitingCommits: count('commits'),
  };
}

/** Checks whether only superusers can still connect. */
export function areTaken({ most, taken }: Slots): boolean {
  return taken >= most;
}

/** Sizes of the service's pools if there are enough connections. */
const amplePools = { reading: 6, deciding: 6, proxy: 4 };

/** Number of connections that are reserved for decisions. */
export const reservedForDecisions = 2;
/** Sizes of the pools if there are hardly any connections: one to read, one to log in, and those for decisions. */
const leastPools = { reading: 1, deciding: reservedForDecisions, proxy: 1 };

/** The connection of the upstream monitor. */
const monitorConnections = 1;

/** Divides half of the free connections between clients and the service's pools. */
export function divideConnections({ most, taken, own }: Slots): ConnectionBudget {
  const half = Math.floor(Math.max(0, most - taken + own) / 2);
  const isAmple = half >= 2 * (sumOf(amplePools) + monitorConnections);
  const pools = isAmple ? amplePools : smallPools(half);
  return { clients: Math.max(1, half - sumOf(pools) - monitorConnections), pools };
}

/** Returns pools that take about half of a small number of connections. */
function smallPools(half: number): ConnectionBudget['pools'] {
  const each = (name: keyof typeof amplePools) =>
    Math.max(leastPools[name], Math.floor((half * amplePools[name]) / (2 * sumOf(amplePools))));
  return { reading: each('reading'), deciding: each('deciding'), proxy: each('proxy') };
}

function sumOf({ reading, deciding, proxy }: ConnectionBudget['pools']): number {
  return reading + deciding + proxy;
}
