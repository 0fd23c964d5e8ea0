/** The composition root: starts all parts in order, and stops them in reverse. */
import type { Config } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import type { Production } from '../config/upstream.ts';
import { chooseProduction } from '../config/upstream.ts';
import type { Environment } from '../config/user-folders.ts';
import type { Log } from '../log.ts';
import { createLog, formatOf } from '../log.ts';
import type { LogStream } from '../log-loss.ts';
import { countLost } from '../log-loss.ts';
import type { Metrics } from '../metrics.ts';
import { createMetrics } from '../metrics.ts';
import type { ServiceFacts } from '../model/service.ts';
import { createRestApp } from '../rest/app.ts';
import type { RestServices, UpstreamState } from '../rest/services.ts';
import { loadParser } from '../sql/parser/parser.ts';
import { createEventWaiters } from '../staging/event-waiters.ts';
import { countActiveSessions, countStaged } from '../staging/session-store.ts';
import { startCards } from './cards.ts';
import { checkStart } from './check-start.ts';
import { startDiscarding } from './discarding.ts';
import type { ExpiryNeeds } from './expiry.ts';
import { startExpiry } from './expiry.ts';
import { createGrace } from './grace.ts';
import { allowedHosts, reachableHost, urlHost } from './listen-policy.ts';
import type { Parts } from './parts.ts';
import { startProxy } from './proxy-server.ts';
import { createReleaseStack } from './release-stack.ts';
import { startRestServer } from './rest-server.ts';
import type { FailedApprovals } from './rules.ts';
import { createFailedApprovals, startRules } from './rules.ts';
import { readTlsFiles } from './tls-files.ts';
import type { TokenMonitor } from './token-monitor.ts';
import { startTokenMonitor } from './token-monitor.ts';
import type { EmbeddedData } from './upstream/production.ts';
import { startProduction } from './upstream/production.ts';
import type { ServiceAccount } from './upstream/service-account.ts';
import { createServiceAccount } from './upstream/service-account.ts';

export interface DaemonIo {
  readonly env: Environment;
  /** The stream for the log. */
  readonly stderr: LogStream & { readonly isTTY?: boolean };
  /** Version of this program. */
  readonly version: string;
}

export interface Daemon {
  readonly restUrl: string;
  /** Whether there is a review page. */
  readonly hasPage: boolean;
  readonly proxyAddress: { readonly host: string; readonly port: number };
  readonly info: ServiceFacts;
  /** The state after the first check. */
  readonly upstream: UpstreamState;
  /** Directory and creation time of the embedded PostgreSQL's data; null for any other upstream. */
  readonly embedded: EmbeddedData | null;
  readonly log: Log;
  /** Reloads the tokens now. */
  reload(): void;
  /** Accepts nothing new, lets running work finish within the grace time, and closes everything. Called once. */
  stop(): Promise<void>;
}

interface Start extends Parts {
  readonly version: string;
  /** Returns the number of lost log lines. */
  readonly linesLost: () => number;
  readonly tokens: TokenMonitor;
  readonly production: Production;
  readonly env: Environment;
}

const maxBodyBytes = 1024 * 1024;

/**
 * Starts everything, and resolves once clients can connect. The upstream database may still be down.
 * @throws StageError if the configuration or the upstream cannot be used; everything is stopped then
 */
export async function startDaemon(config: Config, io: DaemonIo): Promise<Daemon> {
  const { settings } = config;
  const firstTokens = checkStart(config);
  const production = chooseProduction(config, io.env);
  const lines = countLost(io.stderr);
  const log = createLog(settings.logLevel, lines, formatOf(settings.logFormat, io.stderr));
  const grace = createGrace(settings.shutdownGraceMs);
  const releases = createReleaseStack((part) => log.debug('stopping', { part }));
  const stop = () => {
    grace.begin();
    return releases.release();
  };
  try {
    const linesLost = () => lines.lost;
    const { env, version } = io;
    const tokens = startTokenMonitor({ settings, log, releases, grace }, firstTokens);
    const start = { settings, log, linesLost, releases, grace, version, tokens, production, env };
    return { ...(await startParts(start)), log, reload: tokens.reload, stop };
  } catch (error) {
    const logFailure = (failure: Error) => log.error('stopping failed', { error: failure.message });
    await stop().catch(logFailure);
    throw error;
  }
}

async function startParts(start: Start): Promise<Omit<Daemon, 'log' | 'reload' | 'stop'>> {
  const { settings, log, version } = start;
  await loadParser();
  const { url, database, login, embedded } = await startProduction(
    start,
    start.production,
    start.env,
  );
  const account = createServiceAccount(start, url, embedded === null);
  const { pools, monitor: upstream, route, maxConnections, isNoticedGone } = account;
  const { reading, deciding } = pools;
  const metrics = createDaemonMetrics(start, account);
  const { clients, ...proxyAddress } = await startProxy(start, {
    route,
    db: pools.proxy,
    upstream,
    metrics,
    maxConnections,
    isNoticedGone,
  });
  const proxy = { host: reachableHost(proxyAddress.host), port: proxyAddress.port };
  const info: ServiceFacts = { version, proxy, database, embedded: login };
  const access = {
    tokens: start.tokens.accepted,
    areStale: start.tokens.isStale,
    hosts: allowedHosts(settings.host),
  };
  const web = webOf(settings, embedded !== null);
  const events = createEventWaiters(reading);
  const failed = createFailedApprovals();
  const parts = { reading, deciding, events, upstream, clients, metrics, log, access, info };
  const rest = { ...parts, ...decisionsOf(settings), web, approvalsRetried: failed.count };
  const restUrl = await startRest(start, rest);
  await upstream.start();
  startUpkeep(start, { db: deciding, upstream, metrics }, failed);
  startCards(start, { reading, deciding, upstream });
  log.info('serving', { rest: restUrl, proxy: `${proxyAddress.host}:${proxyAddress.port}` });
  return { restUrl, hasPage: web !== null, proxyAddress, info, upstream: upstream.state, embedded };
}

/** Returns the settings of decisions on sessions, and their limits. */
const decisionsOf = (settings: Settings) => ({
  conflictScope: settings.conflictScope,
  ignoredColumns: settings.conflictIgnoreColumns,
  sensitiveColumns: settings.sensitiveColumns,
  fourEyes: settings.fourEyes,
  triggerDifferences: settings.triggerDifferences,
  rehearsal: {
    access: settings.rehearsal,
    timeoutMs: settings.rehearsalTimeoutMs,
    scanRows: settings.rehearsalScanRows,
  },
  approveLockTimeoutMs: settings.approveLockTimeoutMs,
  maxBodyBytes,
  stallTimeoutMs: settings.stallTimeoutMs,
});

/** Returns the settings of the review page, which is on by default only where the database is a sample; null if it is off. */
function webOf({ web, restTls }: Settings, isEmbedded: boolean): RestServices['web'] {
  return web === 'on' || (web === null && isEmbedded) ? { secure: restTls } : null;
}

function createDaemonMetrics(
  { version, linesLost }: Start,
  { pools: { reading, deciding, proxy }, monitor }: ServiceAccount,
): Metrics {
  return createMetrics({
    version,
    countActiveSessions: () => countActiveSessions(deciding),
    countStaged: () => countStaged(deciding),
    pools: () => ({
      reading: reading.counts(),
      deciding: deciding.counts(),
      proxy: proxy.counts(),
    }),
    upstreamReady: () => monitor.state.ready,
    logLinesLost: linesLost,
  });
}

/** Starts the recurring tasks. */
function startUpkeep(start: Start, needs: ExpiryNeeds, failed: FailedApprovals): void {
  startExpiry(start, needs);
  startDiscarding(start, needs.db, needs.upstream);
  startRules(start, { ...needs, tokens: start.tokens.accepted, failed });
}

async function startRest(
  { settings, releases, grace }: Parts,
  services: RestServices,
): Promise<string> {
  const { host, port, restTls } = settings;
  const tls = restTls ? readTlsFiles(settings) : null;
  const server = await startRestServer(createRestApp(services).callback(), { host, port, tls });
  releases.push('REST interface', () => server.stop(grace.left()));
  // guard: a service that stops lets go who waits
  releases.push('waiting requests', async () => services.events.close());
  return `${tls ? 'https' : 'http'}://${urlHost(reachableHost(host))}:${server.port}`;
}
