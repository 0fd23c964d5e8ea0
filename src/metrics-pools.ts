/** Metrics of the service's upstream connections, of the duration of reviews and staged statements, and of staged rows. */
import type { Registry } from 'prom-client';
import { Gauge, Histogram } from 'prom-client';

/** The state of a connection pool at one moment. */
export interface PoolCounts {
  /** Number of open connections, number of idle ones among them, and the maximum. */
  readonly open: number;
  readonly idle: number;
  readonly most: number;
  /** Number of requests that wait for a connection. */
  readonly waiting: number;
  /** Age of the oldest open snapshot in milliseconds; 0 if there is none. */
  readonly oldestSnapshotMs: number;
}

/** Counts from the database, queried at every scrape. */
export interface StagedCounts {
  readonly sessions: Readonly<Record<string, number>>;
  /** PostgreSQL's estimate of the number of rows in shadow tables. */
  readonly shadowRows: number;
}

export interface PoolSources {
  readonly pools: () => Readonly<Record<string, PoolCounts>>;
  readonly countStaged: () => Promise<StagedCounts>;
  readonly upstreamReady: () => boolean;
}

/** Registers the metrics of connection pools. */
export function createPoolGauges(registers: Registry[], { pools }: PoolSources): void {
  const byPool = (name: string, help: string, count: (counts: PoolCounts) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, counts] of Object.entries(pools())) this.set({ pool }, count(counts));
      },
    });
  byPool('service_pool_connections_open', 'Open connections of a pool.', ({ open }) => open);
  byPool('service_pool_connections_idle', 'Idle connections of a pool.', ({ idle }) => idle);
  byPool('service_pool_connections_max', 'Connections that a pool may have.', ({ most }) => most);
  byPool('service_pool_waiters', 'Requests that wait for a connection.', (each) => each.waiting);
  byPool(
    'service_oldest_snapshot_seconds',
    'Age of the oldest snapshot that a pool reads from.',
    ({ oldestSnapshotMs }) => oldestSnapshotMs / 1000,
  );
}

/** Creates the gauges of staged rows and sessions. One query per scrape serves both. */
export function createStagedGauges(registers: Registry[], sources: PoolSources): void {
  const shadowRows = new Gauge({
    name: 'service_shadow_rows',
    help: 'Staged rows of all sessions, as PostgreSQL estimates them.',
    registers,
  });
  new Gauge({
    name: 'service_sessions',
    help: 'Sessions by state.',
    labelNames: ['status'],
    registers,
    async collect() {
      if (!sources.upstreamReady()) return;
      await sources.countStaged().then(
        (counts) => {
          shadowRows.set(counts.shadowRows);
          for (const [status, count] of Object.entries(counts.sessions))
            this.set({ status }, count);
        },
        () => undefined,
      );
    },
  });
}

/** Records the end of an approval. */
export type ApprovalEnd = (outcome: 'approved' | 'refused' | 'voted') => void;

/** Upper bounds in seconds. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Registers the metrics of approvals.
 * @returns a function to call when an approval begins
 */
export function createApprovalMetrics(registers: Registry[]): () => ApprovalEnd {
  const underWay = new Set<{ readonly start: number }>();
  const seconds = ({ start }: { readonly start: number }) => (performance.now() - start) / 1000;
  const durations = new Histogram({
    name: 'service_approve_duration_seconds',
    help: 'How long approvals took.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  for (const outcome of ['approved', 'refused']) durations.zero({ outcome });
  new Gauge({
    name: 'service_oldest_approval_seconds',
    help: 'Age of the oldest approval under way.',
    registers,
    collect() {
      this.set(Math.max(0, ...[...underWay].map(seconds)));
    },
  });
  return () => {
    const approval = { start: performance.now() };
    underWay.add(approval);
    return (outcome) => {
      underWay.delete(approval);
      durations.observe({ outcome }, seconds(approval));
    };
  };
}

/**
 * Registers the metric of staged statements.
 * @returns a function that records the duration of a staged statement in milliseconds
 */
export function createStageDurations(registers: Registry[]): (ms: number) => void {
  const durations = new Histogram({
    name: 'service_stage_duration_seconds',
    help: 'How long statements that write took, from the client to its answer.',
    buckets,
    registers,
  });
  return (ms) => durations.observe(ms / 1000);
}
