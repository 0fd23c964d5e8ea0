/** What the front of the proxy (listener, start-up, authentication) hands over to the statement pipeline. */
import type { Socket } from 'node:net';
import type { Database } from '../db/database.ts';
import type { Log } from '../log.ts';
import type { OpenedSession, ReadsMode } from '../model/session.ts';
import type { OverlayManager } from '../overlay/install/manager.ts';
import type { CancelRequests } from './cancel-requests.ts';
import type { PipelineHandle } from './connection-list.ts';
import type { MadeCallsWatch } from './made-calls.ts';

/**
 * Both sides are authenticated; upstream has sent ReadyForQuery, and the client has been given everything
 * up to and including its ReadyForQuery. Sockets (a TLSSocket is a Socket) are paused, without `data` listeners;
 * their `error` events are already consumed, `close` says that one has ended.
 */
export interface ConnectedPair {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly session: OpenedSession;
  /** The role that the client has logged in as. */
  readonly user: string;
  /** The connection option `service_reads`, else the session's own mode. */
  readonly reads: ReadsMode;
  /** The connection option `service_notice`; null where the daemon's setting applies. */
  readonly notice: boolean | null;
  /** What the client asked of `default_transaction_read_only` at start-up: how its transactions begin. */
  readonly access: 'read write' | 'read only';
  /** Client bytes already read after start-up: feed them first. */
  readonly leftover: Buffer;
  readonly upstreamLeftover: Buffer;
  /** Of protocol 3.x as negotiated with the client. */
  readonly protocolMinor: number;
  /** Asks the upstream to cancel what the connection runs. */
  readonly cancel: () => Promise<void>;
  readonly cancels: CancelRequests;
  /** Filled by the pipeline. */
  readonly handle: PipelineHandle;
  /** The process id shown to the client; names the connection in logs. */
  readonly processId: number;
  /**
   * Aborted when the daemon stops: let the running statement or the client's transaction end, then send FATAL 57P01
   * and close. Whoever is still open after the grace time gets both sockets destroyed.
   */
  readonly shutdown: AbortSignal;
}

/** Runs until either side ends. Resolves when both sockets are closed. */
export type RunPipeline = (pair: ConnectedPair, services: ProxyServices) => Promise<void>;

export interface ProxyServices {
  readonly db: Database;
  readonly overlays: OverlayManager;
  readonly made: Pick<MadeCallsWatch, 'current'>;
  readonly log: Log;
  readonly metrics: ProxyMetrics;
  readonly settings: ProxySettings;
}

export interface ProxyMetrics {
  query(type: 'read' | 'write'): void;
  refused(reason: string): void;
  /** Counts a batch that staged something, by the milliseconds that it took. */
  staged(ms: number): void;
  /** Called by the front for each logged-in connection. */
  connectionOpened(): void;
  connectionClosed(): void;
}

export interface ProxySettings {
  readonly maxStatementBytes: number;
  readonly maxMessageBytes: number;
  readonly loginTimeoutMs: number;
  readonly stallTimeoutMs: number;
  readonly allowFunctions: readonly string[];
  readonly statementCacheSize: number;
  readonly shutdownGraceMs: number;
  readonly stagedNotice: boolean;
}
