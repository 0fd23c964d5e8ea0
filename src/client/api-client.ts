/** The REST interface as functions, typed by the model. Every reply also carries the JSON text as it was received. */
import type { Brief } from '../model/brief.ts';
import type { ChangePage, Mutation, Outline } from '../model/change.ts';
import type { Conflict } from '../model/conflict.ts';
import type { Connection } from '../model/connection.ts';
import type { Comment, Event } from '../model/event.ts';
import type { JsonText } from '../model/json.ts';
import type { ConflictScope, ReadsMode, Session } from '../model/session.ts';
import { readBrief } from './brief.ts';
import {
  readChangePage,
  readConflicts,
  readConnection,
  readMutation,
  readOutline,
  readSession,
} from './decode.ts';
import { DiffReader } from './diff-reader.ts';
import { diffText } from './diff-text.ts';
import type { NewComment } from './discussion.ts';
import { readComment, readEvent } from './discussion.ts';
import type {
  ConflictChoice,
  ResolveReport,
  RevertReport,
  RowChoice,
  Side,
  UnstageReport,
} from './edits.ts';
import { readResolved, readRevert, readUnstaged, resolveBody, rowsBody } from './edits.ts';
import { Fields } from './fields.ts';
import type {
  ChangeFilter,
  DiffFilter,
  Following,
  ListPaging,
  MutationFilter,
  SessionFilter,
} from './filters.ts';
import { sessionPath } from './paths.ts';
import type { RehearsalReport } from './rehearsal.ts';
import { readRehearsal } from './rehearsal.ts';
import type { Page } from './responses.ts';
import { pageOf } from './responses.ts';
import type { Reply } from './service-client.ts';
import { ServiceClient } from './service-client.ts';
import type { ApprovalRequest, PartChoice, SplitReport } from './split.ts';
import { approvalBody, partBody, readSplit } from './split.ts';

/** A client of the daemon's REST interface. Every function throws StageError: the daemon's error, or `server_unavailable`. */
export class ApiClient extends ServiceClient {
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
    return this.get(sessionPath(id), readSession);
  }

  async listSessions(filter: SessionFilter = {}): Promise<Reply<Page<Session>>> {
    const { projectId, reviewDue, ...rest } = filter;
    const query = { project_id: projectId, review_due: reviewDue, ...rest };
    return this.get('/sessions', pageOf('sessions', readSession), query);
  }

  /** Deletes a session and returns the time of the deletion. */
  async deleteSession(id: string): Promise<Reply<string>> {
    const read = (json: JsonText) => new Fields(json).text('deleted_at') ?? '';
    return this.read({ method: 'DELETE', path: sessionPath(id) }, read);
  }

  async listConnections(id: string): Promise<Reply<Page<Connection>>> {
    return this.get(sessionPath(id, 'connections'), pageOf('connections', readConnection));
  }

  /** Ends the connections of a session. `left` lists those that could not be ended. */
  async endConnections(id: string): Promise<Reply<{ left: readonly Connection[] }>> {
    const read = (json: JsonText) => ({ left: new Fields(json).list('left').map(readConnection) });
    return this.read({ method: 'DELETE', path: sessionPath(id, 'connections') }, read);
  }

  async listMutations(id: string, filter: MutationFilter = {}): Promise<Reply<Page<Mutation>>> {
    return this.get(sessionPath(id, 'mutations'), pageOf('mutations', readMutation), {
      ...filter,
    });
  }

  /** Streams the diff's JSON as it arrives; the whole may be too large for memory. */
  diffText(id: string, filter: DiffFilter = {}): AsyncGenerator<string> {
    return diffText(this.transport, sessionPath(id, 'diff'), filter);
  }

  /** Reads the digest that `approve` takes, without the changes that it covers. */
  async readDigest(id: string): Promise<string> {
    const reader = new DiffReader();
    for await (const text of this.diffText(id, { limit: 0 })) reader.push(text);
    reader.end();
    return reader.digest ?? '';
  }

  async readOutline(id: string): Promise<Reply<Outline>> {
    return this.get(sessionPath(id, 'diff/outline'), readOutline);
  }

  async readBrief(id: string): Promise<Reply<Brief>> {
    return this.get(sessionPath(id, 'card'), readBrief);
  }

  async listChanges(id: string, filter: ChangeFilter): Promise<Reply<ChangePage>> {
    return this.get(sessionPath(id, 'diff/changes'), readChangePage, { ...filter });
  }

  /** Lists the conflicts. Those in ignored columns come last. */
  async findConflicts(id: string): Promise<Reply<readonly Conflict[]>> {
    return this.get(sessionPath(id, 'conflicts'), (json) => readConflicts(new Fields(json)));
  }

  /** Runs the approval and rolls it back. The signal ends only the wait for the result. */
  async rehearse(id: string, signal?: AbortSignal): Promise<Reply<RehearsalReport>> {
    const call = { method: 'POST', path: sessionPath(id, 'rehearse'), body: {}, signal } as const;
    return this.read(call, readRehearsal);
  }

  async propose(id: string, message?: string): Promise<Reply<Session>> {
    return this.post(sessionPath(id, 'propose'), readSession, { message });
  }

  async reopen(id: string, message: string): Promise<Reply<Session>> {
    return this.post(sessionPath(id, 'reopen'), readSession, { message });
  }

  async addComment(id: string, comment: NewComment): Promise<Reply<Comment>> {
    const { body, table, rowId } = comment;
    const sent = { body, table, row_id: rowId };
    return this.post(sessionPath(id, 'comments'), readComment, sent);
  }

  async listComments(id: string, page: ListPaging = {}): Promise<Reply<Page<Comment>>> {
    return this.get(sessionPath(id, 'comments'), pageOf('comments', readComment), { ...page });
  }

  async listEvents(id: string, filter: Following = {}): Promise<Reply<readonly Event[]>> {
    const read = (json: JsonText) =>
      new Fields(json).list('events').map((event) => readEvent(id, event));
    const { signal, ...query } = filter;
    return this.read({ method: 'GET', path: sessionPath(id, 'events'), query, signal }, read);
  }

  async approve(id: string, approval: ApprovalRequest): Promise<Reply<Session>> {
    return this.post(sessionPath(id, 'approve'), readSession, approvalBody(approval));
  }

  /** Records the review of an approval past the policy. */
  async review(id: string, message: string | undefined): Promise<Reply<Session>> {
    return this.post(sessionPath(id, 'review'), readSession, { message });
  }

  /** Creates a session that reverts an approved one. The report includes the rows that were left out. */
  async revert(id: string, skipChanged: boolean): Promise<Reply<RevertReport>> {
    return this.post(sessionPath(id, 'revert'), readRevert, { skip_changed: skipChanged });
  }

  /** Moves staged rows of an active session to a new one. */
  async split(id: string, part: PartChoice): Promise<Reply<SplitReport>> {
    return this.post(sessionPath(id, 'split'), readSplit, partBody(part));
  }

  /** Removes staged rows from an active session. */
  async unstage(
    id: string,
    rows: readonly RowChoice[],
    withDependents: boolean,
  ): Promise<Reply<UnstageReport>> {
    const body = { rows: rowsBody(rows), with_dependents: withDependents };
    return this.post(sessionPath(id, 'unstage'), readUnstaged, body);
  }

  /** Resolves conflicts of an active session: those of one row, or all of them. */
  async resolve(
    id: string,
    take: Side,
    choice: ConflictChoice | null,
    withDependents: boolean,
  ): Promise<Reply<ResolveReport>> {
    const body = { ...resolveBody(take, choice), with_dependents: withDependents };
    return this.post(sessionPath(id, 'resolve'), readResolved, body);
  }

  async reject(id: string, reason: string | undefined): Promise<Reply<Session>> {
    return this.post(sessionPath(id, 'reject'), readSession, { reason });
  }
}
