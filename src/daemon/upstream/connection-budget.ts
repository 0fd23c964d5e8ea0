/** Whose connections production's are: at most half of those that are free are taken, and of these two are kept for decisions. */
import type { Queryable } from '../../db/database.ts';

/** Production's connections, as the server counts them, and those among them that stand still. */
export interface Slots {
  /** Of the server, without those that it reserves. */
  readonly most: number;
  /** Taken by whomever. */
  readonly taken: number;
  /** Of these, by the service account for the service itself. */
  readonly own: number;
}

/** What is seen of them besides. */
export interface Activity extends Slots {
  /** COMMITs that have waited for a synchronous standby for more than 5 s, as far as the service account sees. */
  readonly waitingCommits: number;
}

export interface ConnectionBudget {
  /** Client connections that the proxy serves at once. */
  readonly clients: number;
  /** Of each of the service's pools. */
  readonly pools: { readonly reading: number; readonly deciding: number; readonly proxy: number };
}

/** Other roles' backends tell no more than that they are there. Those without a database or a user are the server's own. */
const look = `
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0) AS most,
  count(*) AS taken, count(*) FILTER (WHERE a.usename = current_user AND a.application_name = 'stage') AS own,
  count(*) FILTER (WHERE a.wait_event = 'SyncRep' AND a.query_start < clock_timestamp() - interval '5 s') AS commits
FROM pg_stat_activity a
WHERE a.datid IS NOT NULL AND a.usesysid IS NOT NULL AND coalesce(a.backend_type, 'client backend') = 'client backend'`;

export async function readSlots(db: Queryable): Promise<Activity> {
  const [row] = await db.query(look);
  const count = (name: string) => Number(row?.[name]);
  return {
    most: count('most'),
    taken: count('taken'),
    own: count('own'),
    waitingCommits: count('commits'),
  };
}

/** Whether there is no connection for anybody who is no superuser. */
export function areTaken({ most, taken }: Slots): boolean {
  return taken >= most;
}

/** What the service's own pools take at most where there is enough. */
const amplePools = { reading: 6, deciding: 6, proxy: 4 };

/** Where there is hardly anything: one to read, one to log in by, and those that are kept for decisions. */
export const keptForDecisions = 2;
const leastPools = { reading: 1, deciding: keptForDecisions, proxy: 1 };

/** The connection that the upstream is watched through. */
const watching = 1;

/** Divides half of what is free between clients and the service's own pools. */
export function divideConnections({ most, taken, own }: Slots): ConnectionBudget {
  const half = Math.floor(Math.max(0, most - taken + own) / 2);
  const isAmple = half >= 2 * (sumOf(amplePools) + watching);
  const pools = isAmple ? amplePools : smallPools(half);
  return { clients: Math.max(1, half - sumOf(pools) - watching), pools };
}

/** The pools take about half of little, too. */
function smallPools(half: number): ConnectionBudget['pools'] {
  const each = (name: keyof typeof amplePools) =>
    Math.max(leastPools[name], Math.floor((half * amplePools[name]) / (2 * sumOf(amplePools))));
  return { reading: each('reading'), deciding: each('deciding'), proxy: each('proxy') };
}

function sumOf({ reading, deciding, proxy }: ConnectionBudget['pools']): number {
  return reading + deciding + proxy;
}
