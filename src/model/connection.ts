/** A database client's connection to a session. */

export const connectionStates = ['active', 'idle', 'idle in transaction'] as const;
export type ConnectionState = (typeof connectionStates)[number];

export interface Connection {
  /** Of PostgreSQL's process that serves it. */
  readonly backend: number;
  /** The database role that it logged in as. */
  readonly role: string;
  /** Null where the database does not tell the service. */
  readonly address: string | null;
  /** ISO 8601 UTC; null where it is not known. */
  readonly connectedAt: string | null;
  readonly state: ConnectionState | null;
  /** Whether it came through this daemon, or another way: then it is known only while it holds the session. */
  readonly isHere: boolean;
}
