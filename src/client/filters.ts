/** The filters of the lists of the REST interface. */
import type { Operation } from '../model/change.ts';
import type { SessionStatus } from '../model/session.ts';

export interface Following {
  /** Seconds to wait for the first event. A daemon that does not support it responds at once. */
  readonly wait?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The number of the last known event; later ones are listed. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface Paging {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A page of a list, by its place or behind the page before it. */
export interface ListPaging extends Paging {
  /** The `nextCursor` of another page. */
  readonly cursor?: string | undefined;
}

export interface SessionFilter extends ListPaging {
  readonly status?: SessionStatus | undefined;
  readonly projectId?: string | undefined;
  /** The name of the token that created the sessions. */
  readonly author?: string | undefined;
  readonly search?: string | undefined;
  /** Only approvals past the policy that nobody else has reviewed yet. */
  readonly reviewDue?: 'true' | undefined;
}

export interface MutationFilter extends ListPaging {
  readonly table?: string | undefined;
  readonly type?: string | undefined;
}

export interface ChangeFilter extends Paging {
  readonly table: string;
  readonly type?: string | undefined;
  readonly search?: string | undefined;
  /** Column to sort by. */
  readonly sort?: string | undefined;
  readonly descending?: 'true' | undefined;
  readonly cursor: string;
  /** Whether the response names the statements that made each change. */
  readonly why?: 'true' | undefined;
}

export interface DiffFilter {
  readonly table?: string | undefined;
  readonly type?: Operation | undefined;
  /** The maximum number of changes to return. The counts still cover the whole diff. */
  readonly limit?: number | undefined;
  /** Whether all steps of the requested table and operation follow the changes, in the order in which approval replays them. */
  readonly steps?: 'true' | undefined;
}

export interface AuditFilter extends ListPaging {
  readonly projectId: string;
  readonly sessionId?: string | undefined;
  readonly tableName?: string | undefined;
  readonly operation?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}
