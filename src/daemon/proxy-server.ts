/** The PostgreSQL proxy: its listener with all dependencies. */

import { createListener } from '../client-connection/listener.ts';
import type { UpstreamTarget } from '../client-connection/upstream-target.ts';
import { parseUpstream } from '../client-connection/upstream-target.ts';
import type { Database } from '../db/database.ts';
import type { HostRoute } from '../db/host-route.ts';
import { StageError } from '../errors.ts';
import { createOverlayManager } from '../overlay/install/manager.ts';
import type { Clients, Upstream } from '../rest/services.ts';
import type { ProxyMetrics } from '../server-connection/connected-pair.ts';
import { monitorUserCalls } from '../server-connection/user-calls.ts';
import { findSession } from '../staging/session-store.ts';
import { createPipeline } from '../statements/connection.ts';
import { explainListenError } from './listen-policy.ts';
import type { Parts } from './parts.ts';
import { startPeriodicTask } from './periodic-task.ts';
import { readTlsFiles } from './tls-files.ts';

export interface ProxyNeeds {
  /** The URLs of the service account, of which only address, database and TLS are used. */
  readonly route: HostRoute;
  readonly db: Database;
  readonly upstream: Upstream;
  readonly metrics: ProxyMetrics;
  /** Returns the maximum number of client connections. */
  readonly maxConnections: () => number;
  /** Whether the upstream can detect a lost connection while it runs a statement. */
  readonly isNoticedGone: () => boolean;
}

/**
 * Starts to listen. Returns the address in use.
 * @throws StageError `configuration_invalid` if it cannot listen
 */
export async function startProxy(
  parts: Parts,
  needs: ProxyNeeds,
): Promise<{ host: string; port: number; clients: Clients }> {
  const { settings, log, releases, grace } = parts;
  const { route, db, upstream, metrics, maxConnections, isNoticedGone } = needs;
  const where = { host: settings.proxyHost, port: settings.proxyPort };
  const tls = readTlsFiles(settings);
  const userCalls = monitorUserCalls(db);
  const listener = createListener({
    ...where,
    services: {
      db,
      overlays: createOverlayManager(db, () => demandUpToDate(upstream)),
      userCalls,
      log,
      metrics,
      settings,
    },
    target: followHosts(route),
    findSession: async (id, role) => {
      demandReady(upstream);
      const [session] = await Promise.all([findSession(db, id, role), userCalls.refresh()]);
      return session;
    },
    run: createPipeline(settings),
    maxConnections,
    isNoticedGone,
    maxConnectionsPerAddress: settings.maxConnectionsPerAddress,
    ...(tls === null ? {} : { tls }),
  });
  const address = await listener.start().catch((error: Error) => {
    throw explainListenError(error, { ...where, flag: '--proxy-port' });
  });
  startPeriodicTask(parts, upstream, {
    name: 'check of objects that users have made',
    everyMs: 5000,
    failure: 'what users have made in the database could not be read',
    run: userCalls.refresh,
  });
  route.onMove(listener.connections.endAll);
  releases.push('proxy', () => listener.stop(grace.left()));
  return { ...address, clients: listener.connections };
}

/** Returns a function for the current target. @throws StageError `configuration_invalid` if one of the URLs cannot be used */
function followHosts(route: HostRoute): () => UpstreamTarget {
  const targets = new Map(route.urls.map((url) => [url, parseUpstream(url)]));
  return () => targets.get(route.url) as UpstreamTarget;
}

/** Demands that the upstream is ready. A service that is older than its schema still permits reads. @throws StageError */
function demandReady({ state }: Upstream): void {
  if (state.ready || state.outdated) return;
  throw new StageError(
    'upstream_unavailable',
    `the upstream database is not ready: ${state.error}`,
    {
      sqlstate: '57P03',
      hint: state.hint ?? 'The service keeps trying; connect again in a moment.',
    },
  );
}

/** Demands that no newer release has upgraded the schema: otherwise nothing may be staged. @throws StageError */
function demandUpToDate({ state }: Upstream): void {
  if (state.ready || !state.outdated) return;
  throw new StageError('service_outdated', `this service only reads: ${state.error}`, {
    hint: 'Connect again, to the newer service.',
  });
}
