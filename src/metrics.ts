/** The Prometheus series of the service, in a registry of their own so that two daemons fit in one process. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ApprovalEnd, PoolSources } from './metrics-pools.ts';
import {
  createApprovalMetrics,
  createPoolGauges,
  createStageDurations,
  createStagedGauges,
} from './metrics-pools.ts';

/** What review did with a session's mutations. */
export type ReviewOutcome = 'approved' | 'rejected';

export interface Metrics {
  /** Counts one statement that a client sent through the proxy. */
  query(type: 'read' | 'write'): void;
  /** Counts one statement that the proxy did not let through. */
  refused(sqlstate: string): void;
  connectionOpened(): void;
  connectionClosed(): void;
  /** Counts the mutations of a session that was approved or rejected. */
  reviewed(outcome: ReviewOutcome, mutations: number): void;
  /** An approval begins. */
  approving(): ApprovalEnd;
  /** Counts a statement that staged something, by the milliseconds that it took. */
  staged(ms: number): void;
  /** Counts an approval that was refused because production had changed. */
  conflict(): void;
  /** The text exposition format and its media type. */
  render(): Promise<{ contentType: string; text: string }>;
}

export interface MetricsSources extends PoolSources {
  readonly version: string;
  /** Asked at every scrape; when it fails the gauge keeps its last value. */
  readonly countActiveSessions: () => Promise<number>;
  /** Lines of the log that could not be written. */
  readonly logLinesLost: () => number;
}

/** Not supported by staging; the session takes no more writes. Other SQLSTATEs appear once they were used. */
const commonRefusals = ['0A000', '25006'];

/** Creates all series; every one with a known set of labels stands at 0 from the start. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  createGauges(registers, sources);
  createPoolGauges(registers, sources);
  createStagedGauges(registers, sources);
  // of the process: memory, the lag of its event loop
  collectDefaultMetrics({ register: registry });
  const mutations = new Counter({
    name: 'service_mutations_total',
    help: 'Mutations of sessions that were approved or rejected.',
    labelNames: ['status'],
    registers,
  });
  const queries = createQueryCounter(registers);
  const connections = new Gauge({
    name: 'service_proxy_connections',
    help: 'Client connections open at the proxy.',
    registers,
  });
  const conflicts = new Counter({
    name: 'service_conflicts_total',
    help: 'Approvals refused because production had changed.',
    registers,
  });
  const refusals = new Counter({
    name: 'service_refused_statements_total',
    help: 'Statements that the proxy refused, by SQLSTATE.',
    labelNames: ['reason'],
    registers,
  });
  for (const status of ['approved', 'rejected']) mutations.inc({ status }, 0);
  for (const reason of commonRefusals) refusals.inc({ reason }, 0);
  return {
    query: (type) => {
      queries[type] += 1;
    },
    refused: (reason) => refusals.inc({ reason }),
    connectionOpened: () => connections.inc(),
    connectionClosed: () => connections.dec(),
    reviewed: (status, count) => mutations.inc({ status }, count),
    approving: createApprovalMetrics(registers),
    staged: createStageDurations(registers),
    conflict: () => conflicts.inc(),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Counted here and told at a scrape: finding a series by its labels takes longer than anything else about a read. */
function createQueryCounter(registers: Registry[]): Record<'read' | 'write', number> {
  const queries = { read: 0, write: 0 };
  new Counter({
    name: 'service_proxy_queries_total',
    help: 'Statements that clients sent through the proxy.',
    labelNames: ['type'],
    registers,
    collect() {
      this.reset();
      for (const [type, count] of Object.entries(queries)) this.inc({ type }, count);
    },
  });
  return queries;
}

function createGauges(registers: Registry[], sources: MetricsSources): void {
  new Gauge({
    name: 'service_sessions_active',
    help: 'Sessions in state active.',
    registers,
    async collect() {
      if (!sources.upstreamReady()) return;
      await sources.countActiveSessions().then(
        (count) => this.set(count),
        () => undefined,
      );
    },
  });
  new Gauge({
    name: 'service_upstream_up',
    help: 'Whether the upstream database is ready (1) or not (0).',
    registers,
    collect() {
      this.set(sources.upstreamReady() ? 1 : 0);
    },
  });
  new Counter({
    name: 'service_log_lines_lost_total',
    help: 'Lines of the log that could not be written, as when the disk is full.',
    registers,
    collect() {
      this.reset();
      this.inc(sources.logLinesLost());
    },
  });
  new Gauge({
    name: 'service_build_info',
    help: 'The version of the running service.',
    labelNames: ['version'],
    registers,
  }).set({ version: sources.version }, 1);
}
