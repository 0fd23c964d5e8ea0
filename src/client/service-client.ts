/** The part of the REST client that concerns the daemon as a whole: its health, callers, tokens and audit. */
import { StageError } from '../errors.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { JsonObject } from '../model/json.ts';
import { JsonText } from '../model/json.ts';
import type { AuditVerdict, CallerReport, Health, ServerInfo } from '../model/service.ts';
import { readAuditEntry } from './decode.ts';
import type { AuditFilter } from './filters.ts';
import { auditPath } from './paths.ts';
import type { Page, ReviewLink } from './responses.ts';
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
import type { Call, Transport, TransportOptions } from './transport.ts';
import { createTransport } from './transport.ts';

export interface Reply<T> {
  /** The body as received, for output that must equal it. */
  readonly body: string;
  readonly value: T;
}

/** Sends requests, and reads the responses. */
export class ServiceClient {
  protected readonly transport: Transport;

  constructor(options: TransportOptions) {
    this.transport = createTransport(options);
  }

  async listAudit(filter: AuditFilter): Promise<Reply<Page<AuditEntry>>> {
    const { projectId, sessionId, tableName, ...rest } = filter;
    const query = { project_id: projectId, session_id: sessionId, table_name: tableName, ...rest };
    return this.get('/audit', pageOf('entries', readAuditEntry), query);
  }

  async getAuditEntry(id: string): Promise<Reply<AuditEntry>> {
    return this.get(auditPath(id), readAuditEntry);
  }

  async verifyAudit(checkpoint?: string): Promise<Reply<AuditVerdict>> {
    return this.get('/audit/verify', readVerdict, { checkpoint });
  }

  /** Returns the number of audit entries to verify. */
  async auditLength(): Promise<Reply<number>> {
    return this.get('/audit/head', readAuditLength);
  }

  async info(): Promise<Reply<ServerInfo>> {
    return this.get('/info', readInfo);
  }

  /** Creates a link that logs one browser in, to a session or to all of them. */
  async makeReviewLink(id: string | null, login = true): Promise<Reply<ReviewLink>> {
    return this.post('/web/links', readReviewLink, {
      session_id: id,
      ...(login ? {} : { login }),
    });
  }

  /** Returns the caller that the token identifies. */
  async whoami(): Promise<Reply<CallerReport>> {
    return this.get('/whoami', readCaller);
  }

  /** Returns when the tokens of the daemon were last used, by their ids; null for one without a known use. */
  async listTokenUses(): Promise<Reply<ReadonlyMap<string, string | null>>> {
    return this.get('/tokens', readTokenUses);
  }

  /** Reads the health of the service. A degraded service responds, too; only an unreachable one throws. */
  async health(): Promise<Reply<Health>> {
    return this.read({ method: 'GET', path: '/health', alsoGood: 503 }, readHealth);
  }

  /** Closes all connections and abandons running requests. */
  async close(): Promise<void> {
    await this.transport.close();
  }

  protected get<T>(
    path: string,
    read: (json: JsonText) => T,
    query: Call['query'] = {},
  ): Promise<Reply<T>> {
    return this.read({ method: 'GET', path, query }, read);
  }

  protected post<T>(
    path: string,
    read: (json: JsonText) => T,
    body: JsonObject,
  ): Promise<Reply<T>> {
    return this.read({ method: 'POST', path, body }, read);
  }

  /** Sends a request, and reads its response. */
  async read<T>(call: Call, read: (json: JsonText) => T): Promise<Reply<T>> {
    const body = await this.transport.send(call);
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
