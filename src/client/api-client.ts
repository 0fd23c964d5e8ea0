/** The REST interface as functions, typed by the model. Every reply also carries the JSON text as it was received. */
import { StageError } from '../errors.ts';
import type { Brief } from '../model/brief.ts';
import type { AuditEntry, ChangePage, Conflict, Mutation, Outline } from '../model/change.ts';
import type { Connection } from '../model/connection.ts';
import type { Event } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import { JsonText } from '../model/json.ts';
import type { ConflictScope, ReadsMode, Session } from '../model/session.ts';
import { readBrief } from './brief.ts';
import {
  readAuditEntry,
  readChangePage,
  readConflicts,
  readConnection,
  readMutation,
  readOutline,
  readSession,
} from './decode.ts';
import { DiffReader } from './diff-reader.ts';
import { diffText } from './diff-text.ts';
import type { Comment, NewComment } from './discussion.ts';
import { readComment, readEvent } from './discussion.ts';
import { Fields } from './fields.ts';
import type {
  AuditFilter,
  ChangeFilter,
  DiffFilter,
  Following,
  MutationFilter,
  Paging,
  SessionFilter,
} from './filters.ts';
import { auditPath, sessionPath } from './paths.ts';
import { createPolicyApi } from './policy.ts';
import type { RehearsalReport } from './rehearsal.ts';
import { readRehearsal } from './rehearsal.ts';
import type { ConflictChoice, ResolveReport, Side } from './resolve.ts';
import { readResolved, resolveBody } from './resolve.ts';
import type { AuditVerdict, Caller, Health, Page, ReviewLink, ServerInfo } from './responses.ts';
import {
  pageOf,
  readAuditLength,
  readCaller,
  readHealth,
  readInfo,
  readReviewLink,
  readTokenUses,
  readVerdict,
} from './responses.ts';
import type { RevertReport } from './revert.ts';
import { readRevert } from './revert.ts';
import type { ApprovalRequest, PartChoice, SplitReport } from './split.ts';
import { approvalBody, partBody, readSplit } from './split.ts';
import type { Call, Transport, TransportOptions } from './transport.ts';
import { createTransport } from './transport.ts';
import type { RowChoice, UnstageReport } from './unstage.ts';
import { readUnstaged, rowsBody } from './unstage.ts';

export interface Reply<T> {
  /** The body as received, for output that must equal it. */
  readonly body: string;
  readonly value: T;
}

/** A client of the daemon's REST interface. Every function throws StageError: the daemon's error, or `server_unavailable`. */
export class ApiClient {
  readonly #transport: Transport;
  readonly policy: ReturnType<typeof createPolicyApi>;

  constructor(options: TransportOptions) {
    this.#transport = createTransport(options);
    this.policy = createPolicyApi((call, read) => this.read(call, read));
  }

  async createSession(session: {
    readonly projectId?: string | undefined;
    readonly metadata?: JsonText | undefined;
    readonly reads?: ReadsMode | undefined;
    readonly conflictScope?: ConflictScope | undefined;
    /** A repeated request with the same key creates no second session. */
    readonly idempotencyKey?: string | undefined;
  }): Promise<Reply<Session>> {
    const { projectId, metadata, reads, conflictScope, idempotencyKey: key } = session;
    const body = { project_id: projectId, metadata, reads, conflict_scope: conflictScope };
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return this.read({ method: 'POST', path: '/sessions', body, headers }, readSession);
  }

  async getSession(id: string): Promise<Reply<Session>> {
    return this.#get(sessionPath(id), readSession);
  }

  async listSessions(filter: SessionFilter = {}): Promise<Reply<Page<Session>>> {
    const { projectId, ...rest } = filter;
    const query = { project_id: projectId, ...rest };
    return this.#get('/sessions', pageOf('sessions', readSession), query);
  }

  /** Deletes a session and returns the time of the deletion. */
  async deleteSession(id: string): Promise<Reply<string>> {
    const read = (json: JsonText) => new Fields(json).text('deleted_at') ?? '';
    return this.read({ method: 'DELETE', path: sessionPath(id) }, read);
  }

  async listConnections(id: string): Promise<Reply<Page<Connection>>> {
    return this.#get(sessionPath(id, 'connections'), pageOf('connections', readConnection));
  }

  /** Ends the connections of a session. `left` lists those that could not be ended. */
  async endConnections(id: string): Promise<Reply<{ left: readonly Connection[] }>> {
    const read = (json: JsonText) => ({ left: new Fields(json).list('left').map(readConnection) });
    return this.read({ method: 'DELETE', path: sessionPath(id, 'connections') }, read);
  }

  async listMutations(id: string, filter: MutationFilter = {}): Promise<Reply<Page<Mutation>>> {
    return this.#get(sessionPath(id, 'mutations'), pageOf('mutations', readMutation), {
      ...filter,
    });
  }

  /** Streams the diff's JSON as it arrives; the whole may be too large for memory. */
  diffText(id: string, filter: DiffFilter = {}): AsyncGenerator<string> {
    return diffText(this.#transport, sessionPath(id, 'diff'), filter);
  }

  /** Reads the digest that `approve` takes, without the changes that it covers. */
  async readDigest(id: string): Promise<string> {
    const reader = new DiffReader();
    for await (const text of this.diffText(id, { limit: 0 })) reader.push(text);
    reader.end();
    return reader.digest ?? '';
  }

  async readOutline(id: string): Promise<Reply<Outline>> {
    return this.#get(sessionPath(id, 'diff/outline'), readOutline);
  }

  async readBrief(id: string): Promise<Reply<Brief>> {
    return this.#get(sessionPath(id, 'card'), readBrief);
  }

  async listChanges(id: string, filter: ChangeFilter): Promise<Reply<ChangePage>> {
    return this.#get(sessionPath(id, 'diff/changes'), readChangePage, { ...filter });
  }

  /** Lists the conflicts. Those in ignored columns come last. */
  async findConflicts(id: string): Promise<Reply<readonly Conflict[]>> {
    return this.#get(sessionPath(id, 'conflicts'), (json) => readConflicts(new Fields(json)));
  }

  /** Runs the approval and rolls it back. The signal ends only the wait for the result. */
  async rehearse(id: string, signal?: AbortSignal): Promise<Reply<RehearsalReport>> {
    const call = { method: 'POST', path: sessionPath(id, 'rehearse'), body: {}, signal } as const;
    return this.read(call, readRehearsal);
  }

  async propose(id: string, message?: string): Promise<Reply<Session>> {
    return this.#post(sessionPath(id, 'propose'), readSession, { message });
  }

  async reopen(id: string, message: string): Promise<Reply<Session>> {
    return this.#post(sessionPath(id, 'reopen'), readSession, { message });
  }

  async addComment(id: string, comment: NewComment): Promise<Reply<Comment>> {
    const { rowId, ...rest } = comment;
    return this.#post(sessionPath(id, 'comments'), readComment, { ...rest, row_id: rowId });
  }

  async listComments(id: string, page: Paging = {}): Promise<Reply<Page<Comment>>> {
    return this.#get(sessionPath(id, 'comments'), pageOf('comments', readComment), { ...page });
  }

  async listEvents(id: string, filter: Following = {}): Promise<Reply<readonly Event[]>> {
    const read = (json: JsonText) =>
      new Fields(json).list('events').map((event) => readEvent(id, event));
    const { signal, ...query } = filter;
    return this.read({ method: 'GET', path: sessionPath(id, 'events'), query, signal }, read);
  }

  async approve(id: string, approval: ApprovalRequest): Promise<Reply<Session>> {
    return this.#post(sessionPath(id, 'approve'), readSession, approvalBody(approval));
  }

  /** Creates a session that reverts an approved one. The report includes the rows that were left out. */
  async revert(id: string, skipChanged: boolean): Promise<Reply<RevertReport>> {
    return this.#post(sessionPath(id, 'revert'), readRevert, { skip_changed: skipChanged });
  }

  /** Moves staged rows of an active session to a new one. */
  async split(id: string, part: PartChoice): Promise<Reply<SplitReport>> {
    return this.#post(sessionPath(id, 'split'), readSplit, partBody(part));
  }

  /** Removes staged rows from an active session. */
  async unstage(
    id: string,
    rows: readonly RowChoice[],
    withDependents: boolean,
  ): Promise<Reply<UnstageReport>> {
    const body = { rows: rowsBody(rows), with_dependents: withDependents };
    return this.#post(sessionPath(id, 'unstage'), readUnstaged, body);
  }

  /** Resolves conflicts of an active session: those of one row, or all of them. */
  async resolve(
    id: string,
    take: Side,
    choice: ConflictChoice | null,
    withDependents: boolean,
  ): Promise<Reply<ResolveReport>> {
    const body = { ...resolveBody(take, choice), with_dependents: withDependents };
    return this.#post(sessionPath(id, 'resolve'), readResolved, body);
  }

  async reject(id: string, reason: string | undefined): Promise<Reply<Session>> {
    return this.#post(sessionPath(id, 'reject'), readSession, { reason });
  }

  async listAudit(filter: AuditFilter): Promise<Reply<Page<AuditEntry>>> {
    const { projectId, sessionId, tableName, ...rest } = filter;
    const query = { project_id: projectId, session_id: sessionId, table_name: tableName, ...rest };
    return this.#get('/audit', pageOf('entries', readAuditEntry), query);
  }

  async getAuditEntry(id: string): Promise<Reply<AuditEntry>> {
    return this.#get(auditPath(id), readAuditEntry);
  }

  async verifyAudit(checkpoint?: string): Promise<Reply<AuditVerdict>> {
    return this.#get('/audit/verify', readVerdict, { checkpoint });
  }

  /** Returns the number of audit entries to verify. */
  async auditLength(): Promise<Reply<number>> {
    return this.#get('/audit/head', readAuditLength);
  }

  async info(): Promise<Reply<ServerInfo>> {
    return this.#get('/info', readInfo);
  }

  /** Creates a link that logs one browser in, to a session or to all of them. */
  async makeReviewLink(id: string | null, login = true): Promise<Reply<ReviewLink>> {
    const body = { session_id: id, ...(login ? {} : { login }) };
    return this.#post('/web/links', readReviewLink, body);
  }

  /** Returns the caller that the token identifies. */
  async whoami(): Promise<Reply<Caller>> {
    return this.#get('/whoami', readCaller);
  }

  /** Returns when the tokens of the daemon were last used, by their ids; null for one without a known use. */
  async listTokenUses(): Promise<Reply<ReadonlyMap<string, string | null>>> {
    return this.#get('/tokens', readTokenUses);
  }

  /** Reads the health of the service. A degraded service responds, too; only an unreachable one throws. */
  async health(): Promise<Reply<Health>> {
    return this.read({ method: 'GET', path: '/health', alsoGood: 503 }, readHealth);
  }

  /** Closes all connections and abandons running requests. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  #get<T>(path: string, read: (json: JsonText) => T, query: Call['query'] = {}): Promise<Reply<T>> {
    return this.read({ method: 'GET', path, query }, read);
  }

  #post<T>(path: string, read: (json: JsonText) => T, body: JsonObject): Promise<Reply<T>> {
    return this.read({ method: 'POST', path, body }, read);
  }

  /** Sends a request, and reads its response. */
  async read<T>(call: Call, read: (json: JsonText) => T): Promise<Reply<T>> {
    const body = await this.#transport.send(call);
    try {
      return { body, value: read(new JsonText(body)) };
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new StageError(
        'server_unavailable',
        `the server's answer is not stage's: ${cause.message}`,
        {
          hint: 'Check the address with `stage status`, and that client and server have the same version.',
          cause,
        },
      );
    }
  }
}
