/** The PostgreSQL proxy: its listener with everything it needs. */

import { createListener } from '../client-connection/listener.ts';
import type { UpstreamTarget } from '../client-connection/upstream-target.ts';
import { parseUpstream } from '../client-connection/upstream-target.ts';
import type { Database } from '../db/database.ts';
import type { HostRoute } from '../db/host-route.ts';
import { StageError } from '../errors.ts';
import { createOverlayManager } from '../overlay/install/manager.ts';
import type { Clients, Upstream } from '../rest/services.ts';
import type { ProxyMetrics } from '../server-connection/connected-pair.ts';
import { watchMadeCalls } from '../server-connection/made-calls.ts';
import { findSession } from '../staging/session-store.ts';
import { createPipeline } from '../statements/connection.ts';
import { explainListenError } from './listen-policy.ts';
import { startLooks } from './looks.ts';
import type { Parts } from './parts.ts';
import { readTlsFiles } from './tls-files.ts';

export interface ProxyNeeds {
  /** Of the service account's URLs only address, database and TLS are taken. */
  readonly route: HostRoute;
  readonly db: Database;
  readonly upstream: Upstream;
  readonly metrics: ProxyMetrics;
  /** Client connections that may be served at once. */
  readonly maxConnections: () => number;
  /** Whether the upstream can notice that a connection is gone while it runs a statement. */
  readonly isNoticedGone: () => boolean;
}

/**
 * Starts to listen; gives the address in use.
 * @throws StageError `configuration_invalid` when it cannot
 */
export async function startProxy(
  parts: Parts,
  needs: ProxyNeeds,
): Promise<{ host: string; port: number; clients: Clients }> {
  const { settings, log, releases, grace } = parts;
  const { route, db, upstream, metrics, maxConnections, isNoticedGone } = needs;
  const where = { host: settings.proxyHost, port: settings.proxyPort };
  const tls = readTlsFiles(settings);
  const made = watchMadeCalls(db);
  const listener = createListener({
    ...where,
    services: {
      db,
      overlays: createOverlayManager(db, () => demandUpToDate(upstream)),
      made,
      log,
      metrics,
      settings,
    },
    target: followHosts(route),
    findSession: async (id, role) => {
      demandReady(upstream);
      const [session] = await Promise.all([findSession(db, id, role), made.look()]);
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
  startLooks(parts, upstream, {
    name: 'looks at what users have made',
    everyMs: 5000,
    failure: 'what users have made in the database could not be read',
    look: made.look,
  });
  route.onMove(listener.connections.endAll);
  releases.push('proxy', () => listener.stop(grace.left()));
  return { ...address, clients: listener.connections };
}

/** Gives the target that is used at the moment. @throws StageError `configuration_invalid` when one of them cannot be */
function followHosts(route: HostRoute): () => UpstreamTarget {
  const targets = new Map(route.urls.map((url) => [url, parseUpstream(url)]));
  return () => targets.get(route.url) as UpstreamTarget;
}

/** @throws StageError while the upstream is not ready; a service older than its schema still lets clients read */
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

/** @throws StageError when a newer release has upgraded the schema: nothing is staged here any more */
function demandUpToDate({ state }: Upstream): void {
  if (state.ready || !state.outdated) return;
  throw new StageError('service_outdated', `this service only reads: ${state.error}`, {
    hint: 'Connect again, to the newer service.',
  });
}
