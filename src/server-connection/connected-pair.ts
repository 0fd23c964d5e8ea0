/** The types that the listener, the start-up and the login hand over to the statement pipeline. */
import type { Socket } from 'node:net';
import type { Database } from '../db/database.ts';
import type { Log } from '../log.ts';
import type { OpenedSession, ReadsMode } from '../model/session.ts';
import type { OverlayManager } from '../overlay/install/manager.ts';
import type { CancelRequests } from './cancel-requests.ts';
import type { PipelineHandle } from './connection-list.ts';
import type { UserCallsMonitor } from './user-calls.ts';

/**
 * An authenticated client with its upstream connection. The upstream has sent ReadyForQuery, and the client has received everything up to
 * and including its ReadyForQuery. The sockets (a TLSSocket is a Socket) are paused and have no `data` listeners. Their `error` events are
 * handled; `close` signals that one has ended.
 */
export interface ConnectedPair {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly session: OpenedSession;
  /** The role that the client logged in as. */
  readonly user: string;
  /** The connection option `service_reads`, or else the session's own mode. */
  readonly reads: ReadsMode;
  /** The connection option `service_notice`; null when the daemon's setting applies. */
  readonly notice: boolean | null;
  /** The access of the client's transactions: its `default_transaction_read_only` at start-up. */
  readonly access: 'read write' | 'read only';
  /** Client bytes that were already read after start-up. They are processed first. */
  readonly leftover: Buffer;
  readonly upstreamLeftover: Buffer;
  /** Whether a character of the database is a byte, as in SQL_ASCII. */
  readonly countsBytes: boolean;
  /** The minor version of protocol 3 that was negotiated with the client. */
  readonly protocolMinor: number;
  /** Requests the upstream to cancel the statement that the connection runs. */
  readonly cancel: () => Promise<void>;
  readonly cancels: CancelRequests;
  /** Filled by the pipeline. */
  readonly handle: PipelineHandle;
  /** The process id that the client received. It identifies the connection in logs. */
  readonly processId: number;
  /**
   * Aborted when the daemon stops. The connection then lets the running statement or the client's transaction end, sends FATAL 57P01
   * and closes. After the grace time both sockets are destroyed.
   */
  readonly shutdown: AbortSignal;
}

/** Runs until either side ends. Resolves when both sockets are closed. */
export type RunPipeline = (pair: ConnectedPair, services: ProxyServices) => Promise<void>;

export interface ProxyServices {
  readonly db: Database;
  readonly overlays: OverlayManager;
  readonly userCalls: Pick<UserCallsMonitor, 'current'>;
  readonly log: Log;
  readonly metrics: ProxyMetrics;
  readonly settings: ProxySettings;
}

export interface ProxyMetrics {
  query(type: 'read' | 'write'): void;
  refused(reason: string): void;
  /** Counts a batch that staged something. @param ms its duration in milliseconds */
  staged(ms: number): void;
  /** Called by the listener for each logged-in connection. */
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
