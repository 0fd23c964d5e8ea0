/** The series of the service's connections to the upstream, of the time that reviews take, and of what is staged. */
import type { Registry } from 'prom-client';
import { Gauge, Histogram } from 'prom-client';

/** A pool of connections at one moment. */
export interface PoolCounts {
  /** Connections that are open, those of them that are idle, and how many there may be. */
  readonly open: number;
  readonly idle: number;
  readonly most: number;
  /** Who waits for one. */
  readonly waiting: number;
  /** Age of the oldest snapshot that is read from, in milliseconds; 0 where there is none. */
  readonly oldestSnapshotMs: number;
}

/** What the database counts; asked at every scrape. */
export interface StagedCounts {
  readonly sessions: Readonly<Record<string, number>>;
  /** Rows of shadow tables, as PostgreSQL estimates them. */
  readonly shadowRows: number;
}

export interface PoolSources {
  readonly pools: () => Readonly<Record<string, PoolCounts>>;
  readonly countStaged: () => Promise<StagedCounts>;
  readonly upstreamReady: () => boolean;
}

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

/** One question for both: the database is asked once a scrape. */
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

/** Tells that an approval is over. */
export type ApprovalEnd = (outcome: 'approved' | 'refused') => void;

/** From what nobody notices to what somebody waits for. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** @returns what to call when an approval begins */
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

/** @returns what to call with the milliseconds that a staged statement took */
export function createStageDurations(registers: Registry[]): (ms: number) => void {
  const durations = new Histogram({
    name: 'service_stage_duration_seconds',
    help: 'How long statements that write took, from the client to its answer.',
    buckets,
    registers,
  });
  return (ms) => durations.observe(ms / 1000);
}
