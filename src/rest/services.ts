/** The services that the daemon provides to the REST API. */
import type { Database, Pool } from '../db/database.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { RehearsalAccess, Token } from '../model/access.ts';
import type { Connection } from '../model/connection.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ConflictScope } from '../model/session.ts';
import type { EventWaiters } from '../staging/event-waiters.ts';
import type { Places } from './places.ts';

/** Something that the upstream cannot do although it is reachable, as the error for requests that need it. */
export interface Lack {
  readonly code: 'too_many_connections' | 'upstream_unavailable';
  readonly message: string;
  readonly hint: string;
}

/** Whether the upstream database can be used, and if not, the reason. The texts contain no secrets. */
export type UpstreamState =
  | {
      readonly ready: true;
      readonly version?: string;
      /** The limitations of a database that can be used. */
      readonly lack?: Lack;
    }
  | {
      readonly ready: false;
      readonly error: string;
      readonly hint?: string;
      /** A stable identifier of the reason, for programs. */
      readonly reason?: string;
      /** A newer release has upgraded the schema; reads still work. */
      readonly outdated?: true;
    };

export interface Upstream {
  /** The result of the last check. */
  readonly state: UpstreamState;
  /** Checks now. */
  check(): Promise<UpstreamState>;
}

/** Connections of database clients, by session. */
export interface Clients {
  of(sessionId: string): Connection[];
  /** Ends them, whatever they are doing. @returns their number */
  end(sessionId: string): number;
}

/** Who may access the API. */
export interface Access {
  /** Returns the bearer tokens that are accepted now. If there are none, no token is required, and everybody is an operator. */
  readonly tokens: () => readonly Token[];
  /** Whether the token file has become invalid, so that the former tokens are still in use. */
  readonly areStale: () => boolean;
  /** Host names that are accepted in requests, or null for any. Set on loopback, against DNS rebinding. */
  readonly hosts: readonly string[] | null;
}

/** The services for a route: like RestServices, with the pool that fits its method. */
export interface RouteServices extends Omit<RestServices, 'reading' | 'deciding'> {
  readonly db: Database;
  /** Limits concurrent diffs: each holds a connection and a snapshot. */
  readonly diffs: Places;
  /** Limits concurrent rehearsals: each holds a connection for decisions, and locks. */
  readonly rehearsals: Places;
  /** Limits concurrent approvals: each holds a connection, and locks on rows of production. */
  readonly approvals: Places;
}

export interface RestServices {
  /** The pool for reads. It is separate so that many reads do not delay decisions. */
  readonly reading: Pool;
  /** The pool for requests that create, change or decide. */
  readonly deciding: Pool;
  /** Lets requests wait for events of sessions. */
  readonly events: EventWaiters;
  readonly upstream: Upstream;
  /** Database clients of this daemon's proxy. */
  readonly clients: Clients;
  readonly metrics: Metrics;
  /** Returns how many approvals by the service have failed, and are tried again. */
  readonly approvalsRetried: () => number;
  readonly log: Log;
  readonly access: Access;
  readonly info: ServiceFacts;
  /** The default for new sessions. */
  readonly conflictScope: ConflictScope;
  /** Patterns of columns that do not count as conflicts, from the configuration only. */
  readonly ignoredColumns: readonly string[];
  /** Patterns of columns that a brief names as sensitive. */
  readonly sensitiveColumns: readonly string[];
  /** Whether the author of a session may not approve it. */
  readonly fourEyes: boolean;
  /** Whether unexpected differences of triggers stop an approval. */
  readonly triggerDifferences: 'allow' | 'refuse';
  /** How long an approval may wait for locks in total. */
  readonly approveLockTimeoutMs: number;
  readonly rehearsal: {
    readonly access: RehearsalAccess;
    readonly timeoutMs: number;
    /** In tables with more rows, changes are only counted. */
    readonly scanRows: number;
  };
  /** Of the review page; null if there is none. */
  readonly web: { readonly secure: boolean } | null;
  /** Largest request body in bytes. */
  readonly maxBodyBytes: number;
  /** How long a client may read nothing of a response that is ready. */
  readonly stallTimeoutMs: number;
}
