/** The service account's connections to the upstream, and the upstream monitor. */

import { noticeGone } from '../../db/connection-settings.ts';
import type { PoolOptions } from '../../db/connections.ts';
import type { Database, Pool } from '../../db/database.ts';
import { createDatabase } from '../../db/database.ts';
import type { HostRoute } from '../../db/host-route.ts';
import { createHostRoute } from '../../db/host-route.ts';
import { createUpgrade } from '../../db/upgrade.ts';
import type { Log } from '../../log.ts';
import { markOutdated } from '../../overlay/generation.ts';
import { ensureBound } from '../../overlay/install/binding.ts';
import type { Lack } from '../../rest/services.ts';
import { isServable } from '../../staging/servable.ts';
import { warnOfFaults } from '../doctor/warn.ts';
import type { Parts } from '../parts.ts';
import { releaseInTime } from '../parts.ts';
import { redactor } from '../redact.ts';
import type { Activity, ConnectionBudget } from './connection-budget.ts';
import {
  areTaken,
  divideConnections,
  readSlots,
  reservedForDecisions,
} from './connection-budget.ts';
import { refusePublications } from './publications.ts';
import { UpstreamMonitor } from './upstream-monitor.ts';

const checkTimeoutMs = 3_000;
const checkIntervalsMs = { ready: 5_000, broken: 1_000 };
/** Maximum age of the monitor's connection. An open connection does not show whether another can be opened; a new one does. */
const monitorConnectionSeconds = 8;

/** The connection pools. They are separate so that parts of the daemon do not wait for each other's connections. */
export type Pools = Readonly<Record<keyof ConnectionBudget['pools'], Pool>>;

export interface ServiceAccount {
  readonly pools: Pools;
  readonly monitor: UpstreamMonitor;
  /** The choice of the upstream's host. */
  readonly route: HostRoute;
  /** Returns the maximum number of client connections. */
  readonly maxConnections: () => number;
  /** Whether the upstream can detect a lost connection while it runs a statement; some platforms cannot. */
  readonly isNoticedGone: () => boolean;
}

/**
 * Opens the pools, and creates the upstream monitor, which has not checked anything yet.
 * @param examines whether the doctor examines the upstream; this is not needed for the embedded PostgreSQL
 */
export function createServiceAccount(parts: Parts, url: string, examines: boolean): ServiceAccount {
  const { settings, log } = parts;
  const route = createHostRoute(url);
  const pools: Pools = {
    reading: openPool(parts, route, 'reading'),
    deciding: openPool(parts, route, 'deciding', { keepOpen: reservedForDecisions }),
    proxy: openPool(parts, route, 'proxy'),
  };
  const budget = createBudget(parts, pools);
  let isNoticedGone = false;
  const upgrade = createUpgrade({ lockTimeoutMs: settings.upgradeLockTimeoutMs, log });
  const monitor = new UpstreamMonitor({
    open: () =>
      createDatabase({
        url: route.url,
        maxConnections: 1,
        maxLifetimeSeconds: monitorConnectionSeconds,
      }),
    prepare: async (db) => {
      if (!parts.settings.allowPublications) await refusePublications(db);
      await upgrade(db);
      await ensureBound(db);
      await markOutdated(db);
      await budget.divide(db);
      isNoticedGone = await canNoticeGone(db);
      if (examines) await warnOfFaults(db, settings, parts.log);
    },
    seek: route.seek,
    findLack: budget.findLack,
    isPrepared: isServable,
    redact: redactor(url),
    log: parts.log,
    timeoutMs: checkTimeoutMs,
    intervalsMs: checkIntervalsMs,
  });
  releaseInTime(parts, 'upstream monitor', () => monitor.stop());
  route.onMove((isOlder) => warnOfMove(parts.log, route.url, isOlder));
  return {
    pools,
    monitor,
    route,
    maxConnections: budget.clients,
    isNoticedGone: () => isNoticedGone,
  };
}

function warnOfMove(log: Log, url: string, isOlder: boolean): void {
  log.warn('another host of the upstream accepts writes now', addressOf(url));
  if (!isOlder) return;
  log.warn(
    'it is on an older timeline than the one before: what was committed there, sessions and approvals too, is not on it',
    addressOf(url),
  );
}

/** Returns the parts of a URL that may be shown. */
function addressOf(url: string): { readonly host: string; readonly port: string } {
  const { hostname: host, port } = new URL(url);
  return { host, port };
}

function openPool(
  parts: Parts,
  route: HostRoute,
  name: string,
  options: Pick<PoolOptions, 'keepOpen'> = {},
): Pool {
  const onError = (error: Error) =>
    parts.log.debug('an idle connection was lost', { pool: name, error: error.message });
  const db = createDatabase({
    url: () => route.url,
    maxConnections: reservedForDecisions,
    onError,
    ...options,
  });
  releaseInTime(parts, `${name} connections`, db.close);
  return db;
}

/** Checks whether the server supports the setting that the service's connections request. Then clients may request it as well. */
async function canNoticeGone(db: Database): Promise<boolean> {
  const [name] = noticeGone;
  const [row] = await db.query(`SHOW ${name}`);
  return row?.[name] !== '0';
}

/** Creates functions that size the pools and the limit of clients by production's free connections, and that check for shortages. */
function createBudget({ settings, log }: Parts, pools: Pools) {
  // before the first `divide` the upstream is not ready, so clients are refused anyway
  let clients = settings.maxConnections ?? Number.POSITIVE_INFINITY;
  return {
    clients: () => clients,
    divide: async (db: Database): Promise<void> => {
      const slots = await readSlots(db);
      const budget = divideConnections(slots);
      clients = settings.maxConnections ?? budget.clients;
      for (const name of Object.keys(pools) as (keyof Pools)[])
        pools[name].resize(budget.pools[name]);
      log.info('connections for clients', { clients, taken: slots.taken, upstream: slots.most });
    },
    findLack: async (db: Database): Promise<Lack | null> => {
      const slots = await readSlots(db);
      await pools.deciding.open().catch((error: Error) => {
        log.debug('no connection could be reserved for decisions', { error: error.message });
      });
      return lackOf(slots);
    },
  };
}

function lackOf(slots: Activity): Lack | null {
  if (areTaken(slots)) {
    const { taken, most } = slots;
    const message = `all connections of the upstream are taken: ${taken} of ${most}`;
    return {
      code: 'too_many_connections',
      message,
      hint: 'End connections that are not needed; decisions about sessions continue.',
    };
  }
  if (slots.waitingCommits === 0) return null;
  return {
    code: 'upstream_unavailable',
    message: `nothing can be committed: ${slots.waitingCommits} wait for a synchronous standby`,
    hint: 'Bring the standby back, or change synchronous_standby_names of the upstream.',
  };
}
