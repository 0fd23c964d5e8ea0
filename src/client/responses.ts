/** Responses of the REST interface that the model does not cover, and their readers. */
import type { JsonText } from '../model/json.ts';
import { Fields } from './fields.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
}

export interface Health {
  /** `ok` or `degraded`. */
  readonly status: string;
  /** `connected` or `disconnected`. */
  readonly upstream: string;
  readonly error: string | null;
}

/** What the daemon reports about itself. */
export interface ServerInfo {
  readonly version: string;
  /** The address of the proxy for database clients. */
  readonly proxy: { readonly host: string; readonly port: number };
  readonly database: string;
  /** Version of the upstream server; null while it is not known. */
  readonly postgresql?: string | null;
  /** The sample login of the embedded PostgreSQL; null when the upstream is not embedded. */
  readonly embedded: { readonly user: string; readonly password: string } | null;
}

/** The caller that the token identifies. */
export interface Caller {
  /** Null where no token is required. */
  readonly name: string | null;
  readonly role: string;
  readonly rights: readonly string[];
  /** Names of the operations that it is allowed; null from a daemon that does not report them. */
  readonly operations: readonly string[] | null;
}

export interface AuditVerdict {
  readonly ok: boolean;
  readonly entries: number;
  readonly approvals: number;
  readonly firstBad: { readonly id: string; readonly reason: string } | null;
  /** Hash of the last approval; null when there is none. */
  readonly head: string | null;
}

/** Makes a reader of a page: `{<member>: [...], total_count}`. */
export function pageOf<T>(
  member: string,
  read: (json: JsonText) => T,
): (json: JsonText) => Page<T> {
  return (json) => {
    const fields = new Fields(json);
    return { items: fields.list(member).map(read), totalCount: fields.number('total_count') };
  };
}

/** A link to the review page. */
export interface ReviewLink {
  /** Path and fragment, to append to the daemon's address. */
  readonly path: string;
  /** Null if no login is required. */
  readonly expiresAt: string | null;
}

export function readReviewLink(json: JsonText): ReviewLink {
  const fields = new Fields(json);
  return { path: fields.required('path'), expiresAt: fields.text('expires_at') };
}

export function readHealth(json: JsonText): Health {
  const fields = new Fields(json);
  return {
    status: fields.required('status'),
    upstream: fields.required('upstream'),
    error: fields.text('error'),
  };
}

export function readInfo(json: JsonText): ServerInfo {
  const fields = new Fields(json);
  const proxy = fields.object('proxy');
  const embedded = fields.object('embedded');
  return {
    version: fields.required('version'),
    proxy: { host: proxy?.required('host') ?? '', port: proxy?.number('port') ?? 0 },
    database: fields.required('database'),
    postgresql: fields.text('postgresql'),
    embedded: embedded && {
      user: embedded.required('user'),
      password: embedded.required('password'),
    },
  };
}

export function readCaller(json: JsonText): Caller {
  const fields = new Fields(json);
  const names = (member: string) =>
    fields.list(member).map(({ text }) => JSON.parse(text) as string);
  const operations = fields.json('operations') === null ? null : names('operations');
  return {
    name: fields.text('name'),
    role: fields.required('role'),
    rights: names('rights'),
    operations,
  };
}

/** Reads when tokens were last used, by their ids; null for one without a known use. */
export function readTokenUses(json: JsonText): ReadonlyMap<string, string | null> {
  const tokens = new Fields(json).list('tokens').map((token) => new Fields(token));
  return new Map(tokens.map((token) => [token.required('id'), token.text('last_used_at')]));
}

/** Reads the number of audit entries that the head of the audit records. */
export function readAuditLength(json: JsonText): number {
  return new Fields(json).number('entries');
}

export function readVerdict(json: JsonText): AuditVerdict {
  const fields = new Fields(json);
  const bad = fields.object('first_bad');
  return {
    ok: fields.json('ok')?.text === 'true',
    entries: fields.number('entries'),
    approvals: fields.number('approvals'),
    firstBad: bad && { id: bad.required('id'), reason: bad.required('reason') },
    head: fields.text('head'),
  };
}
