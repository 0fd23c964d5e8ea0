/** What the REST interface is given by the daemon. */
import type { Database, Pool } from '../db/database.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Token } from '../model/access.ts';
import type { Connection } from '../model/connection.ts';
import type { ConflictScope } from '../model/session.ts';
import type { EventWatch } from '../staging/event-watch.ts';
import type { Places } from './places.ts';

/** What the upstream cannot do although it answers: as the error of who needs it. */
export interface Lack {
  readonly code: 'too_many_connections' | 'upstream_unavailable';
  readonly message: string;
  readonly hint: string;
}

/** Whether the upstream database can be used, and if not why, in words that may be shown to anybody. */
export type UpstreamState =
  | {
      readonly ready: true;
      readonly version?: string;
      /** What lacks although it can be used. */
      readonly lack?: Lack;
    }
  | {
      readonly ready: false;
      readonly error: string;
      readonly hint?: string;
      /** Says to programs why, where that never changes. */
      readonly reason?: string;
      /** A newer release has upgraded the schema: what only reads still works. */
      readonly outdated?: true;
    };

export interface Upstream {
  /** What the last look gave. */
  readonly state: UpstreamState;
  /** Looks now. */
  check(): Promise<UpstreamState>;
}

/** Connections of database clients, by session. */
export interface Clients {
  of(sessionId: string): Connection[];
  /** Ends them, whatever they are doing; gives their number. */
  end(sessionId: string): number;
}

/** Who may talk to the interface. */
export interface Access {
  /** Gives the bearer tokens that are accepted now; none when nobody has to show one: everybody is an operator then. */
  readonly tokens: () => readonly Token[];
  /** Whether their file has changed into one that cannot be used, so that they are those of before. */
  readonly areStale: () => boolean;
  /** Host names that a request may be addressed to, or null for any; set on loopback, against DNS rebinding. */
  readonly hosts: readonly string[] | null;
}

/** What a client needs to print a connection string. */
export interface ServerInfo {
  readonly version: string;
  /** Where database clients connect. */
  readonly proxy: { readonly host: string; readonly port: number };
  readonly database: string;
  /** The sample login of the embedded PostgreSQL; null when the upstream is a real one. */
  readonly embedded: { readonly user: string; readonly password: string } | null;
}

/** What a route is given: the connections are those that fit what it does. */
export interface RouteServices extends Omit<RestServices, 'reading' | 'deciding'> {
  readonly db: Database;
  /** For diffs that are being read: each holds a connection and a snapshot. */
  readonly diffs: Places;
  /** For rehearsals: each holds a connection that decides, and locks. */
  readonly rehearsals: Places;
  /** For approvals under way: each holds a connection, and rows of production. */
  readonly approvals: Places;
}

/** Who may rehearse: nobody, reviewers, or authors and agents their own sessions, too. */
export type RehearsalAccess = 'off' | 'reviewers' | 'authors';

export interface RestServices {
  /** Of what only looks: however much of that there is, decisions have connections of their own. */
  readonly reading: Pool;
  /** Of what makes, changes and decides. */
  readonly deciding: Pool;
  /** Where requests wait for what happens to a session. */
  readonly events: EventWatch;
  readonly upstream: Upstream;
  /** Database clients that this service's proxy serves. */
  readonly clients: Clients;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly access: Access;
  readonly info: ServerInfo;
  /** Of sessions that choose none. */
  readonly conflictScope: ConflictScope;
  /** Patterns of columns that do not count as conflicts; no request names any. */
  readonly ignoredColumns: readonly string[];
  /** Whether the author of a session may not approve it. */
  readonly fourEyes: boolean;
  /** How long an approval may wait for locks, all together. */
  readonly approveLockTimeoutMs: number;
  readonly rehearsal: {
    readonly access: RehearsalAccess;
    readonly timeoutMs: number;
    /** Tables with more rows are counted only. */
    readonly scanRows: number;
  };
  /** Largest request body in bytes. */
  readonly maxBodyBytes: number;
  /** How long a reader may take nothing of an answer that waits for it. */
  readonly stallTimeoutMs: number;
}
