/** A client's database connection to a session. */

export const connectionStates = ['active', 'idle', 'idle in transaction'] as const;
export type ConnectionState = (typeof connectionStates)[number];

export interface Connection {
  /** Process id of the backend that serves it. */
  readonly backend: number;
  /** The database role that it logged in as. */
  readonly role: string;
  /** Null if the database does not show it to the service. */
  readonly address: string | null;
  /** ISO 8601 UTC; null if unknown. */
  readonly connectedAt: string | null;
  readonly state: ConnectionState | null;
  /** Whether it came through this daemon. Other connections are known only while they lock the session. */
  readonly isHere: boolean;
}
