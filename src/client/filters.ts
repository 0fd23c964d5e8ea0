/** What lists of the REST interface are narrowed by. */
import type { Operation } from '../model/change.ts';
import type { SessionStatus } from '../model/session.ts';

export interface Following {
  /** Seconds to wait where nothing has happened yet. A daemon that does not know it answers at once. */
  readonly wait?: number | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Number to begin behind. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface Paging {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface SessionFilter extends Paging {
  readonly status?: SessionStatus | undefined;
  readonly projectId?: string | undefined;
  /** Name of the token that they were created with. */
  readonly author?: string | undefined;
  readonly search?: string | undefined;
}

export interface MutationFilter extends Paging {
  readonly table?: string | undefined;
  readonly type?: string | undefined;
}

export interface ChangeFilter extends Paging {
  readonly table: string;
  readonly type?: string | undefined;
  readonly search?: string | undefined;
  readonly cursor: string;
  /** Whether the statements are named that made each change. */
  readonly why?: 'true' | undefined;
}

export interface DiffFilter {
  readonly table?: string | undefined;
  readonly type?: Operation | undefined;
  /** At most so many changes; the counts stay those of the whole. */
  readonly limit?: number | undefined;
  /** Whether every step that approval replays follows, of the table and kind that were asked for. */
  readonly steps?: 'true' | undefined;
}

export interface AuditFilter extends Paging {
  readonly projectId: string;
  readonly sessionId?: string | undefined;
  readonly tableName?: string | undefined;
  readonly operation?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}
