/** The Prometheus metrics of the service, in a separate registry so that two daemons can run in one process. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ApprovalEnd, PoolSources } from './metrics-pools.ts';
import {
  createApprovalMetrics,
  createPoolGauges,
  createStageDurations,
  createStagedGauges,
} from './metrics-pools.ts';

/** The result of a review for a session's mutations. */
export type ReviewOutcome = 'approved' | 'rejected';

export interface Metrics {
  /** Counts one statement that a client sent through the proxy. */
  query(type: 'read' | 'write'): void;
  /** Counts one statement that the proxy refused. */
  refused(sqlstate: string): void;
  connectionOpened(): void;
  connectionClosed(): void;
  /** Counts the mutations of a session that was approved or rejected. */
  reviewed(outcome: ReviewOutcome, mutations: number): void;
  /** Records the begin of an approval. */
  approving(): ApprovalEnd;
  /** Records the duration of a statement that staged rows, in milliseconds. */
  staged(ms: number): void;
  /** Counts an approval past the policy. */
  glassBroken(): void;
  /** Counts an approval that was refused because production had changed. */
  conflict(): void;
  /** Returns the metrics in the text exposition format, and its media type. */
  render(): Promise<{ contentType: string; text: string }>;
}

export interface MetricsSources extends PoolSources {
  readonly version: string;
  /** Called at every scrape. If it fails, the gauge keeps its last value. */
  readonly countActiveSessions: () => Promise<number>;
  /** Number of log lines that could not be written. */
  readonly logLinesLost: () => number;
}

/** Not supported by staging; session not writable. Other SQLSTATEs appear after their first use. */
const commonRefusals = ['0A000', '25006'];

/** Creates all metrics. Each metric with a known set of label values starts at 0. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  createGauges(registers, sources);
  createPoolGauges(registers, sources);
  createStagedGauges(registers, sources);
  // process metrics: memory, event loop lag
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
    glassBroken: createBrokenGlass(registers),
    conflict: () => conflicts.inc(),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

function createBrokenGlass(registers: Registry[]): Metrics['glassBroken'] {
  const broken = new Counter({
    name: 'service_break_glass_total',
    help: 'Approvals that went past the policy.',
    registers,
  });
  return () => broken.inc();
}

/** Counts in plain numbers and exports them at scrape time: finding a series by its labels is the slowest part of counting a read. */
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
