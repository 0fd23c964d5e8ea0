/** The policy and the votes as the REST interface states them, in words. */
import type { JsonObject } from '../model/json.ts';
import { JsonText } from '../model/json.ts';
import { textCell } from './cell.ts';
import { Fields } from './fields.ts';
import type { Paging } from './filters.ts';
import { sessionPath } from './paths.ts';
import type { Page } from './responses.ts';
import { pageOf } from './responses.ts';
import { sanitize } from './sanitize.ts';
import type { Call } from './transport.ts';

/** A response with its text, as those of the other requests. */
interface Reply<T> {
  readonly body: string;
  readonly value: T;
}

export interface PolicyVersion {
  readonly version: string;
  readonly document: JsonText;
  readonly setBy: string | null;
  readonly message: string | null;
  readonly at: string | null;
}

/** The state of the votes on a session. */
export interface Approvals {
  readonly needed: number;
  readonly count: number;
  readonly given: readonly { readonly as: string; readonly why: string | null }[];
  readonly missing: readonly { readonly more: number; readonly may: readonly string[] | null }[];
}

export interface PolicyVerdict {
  readonly rule: string;
  readonly holds: boolean;
  readonly says: string;
  readonly opensAt: string | null;
}

export interface SessionPolicy {
  /** `0` if no rule holds for the session. */
  readonly version: string;
  readonly verdicts: readonly PolicyVerdict[];
  readonly approvals: Approvals | null;
}

interface PolicyApi {
  show(): Promise<Reply<PolicyVersion>>;
  /** Sets a document. @param after the version that it follows */
  set(document: JsonText, after: string, message?: string): Promise<Reply<PolicyVersion>>;
  history(page: Paging): Promise<Reply<Page<PolicyVersion>>>;
  /** Judges a session. */
  test(id: string): Promise<Reply<SessionPolicy>>;
}

export function createPolicyApi(
  read: <T>(call: Call, read: (json: JsonText) => T) => Promise<Reply<T>>,
): PolicyApi {
  const path = '/policy';
  return {
    show: () => read({ method: 'GET', path }, readVersion),
    set: (document, after, message) => {
      const body: JsonObject = { document, message };
      const headers = { 'if-match': `"${after}"` };
      return read({ method: 'PUT', path, body, headers }, readVersion);
    },
    history: (page) =>
      read(
        { method: 'GET', path: '/policy/history', query: { ...page } },
        pageOf('versions', readVersion),
      ),
    test: (id) => read({ method: 'GET', path: sessionPath(id, 'policy') }, readSessionPolicy),
  };
}

function readVersion(json: JsonText): PolicyVersion {
  const fields = new Fields(json);
  return {
    version: fields.required('version'),
    document: fields.json('document') ?? new JsonText('{}'),
    setBy: fields.text('set_by'),
    message: fields.text('message'),
    at: fields.text('at'),
  };
}

function readSessionPolicy(json: JsonText): SessionPolicy {
  const fields = new Fields(json);
  const verdicts = fields.list('verdicts').map((item) => {
    const verdict = new Fields(item);
    return {
      rule: verdict.required('rule'),
      holds: verdict.json('holds')?.text === 'true',
      says: verdict.required('says'),
      opensAt: verdict.text('opens_at'),
    };
  });
  return { version: fields.required('version'), verdicts, approvals: readApprovals(json) };
}

/** Reads the votes from the body of a session; null if the policy demands none. */
export function readApprovals(json: JsonText): Approvals | null {
  const fields = new Fields(json).object('approvals');
  if (fields === null) return null;
  const given = fields.list('given').map((item) => {
    const vote = new Fields(item);
    return { as: vote.required('as'), why: vote.text('why') };
  });
  const missing = fields.list('missing').map((item) => {
    const demand = new Fields(item);
    const may = demand.json('may');
    return {
      more: demand.number('more'),
      may: may === null ? null : (JSON.parse(may.text) as string[]),
    };
  });
  return { needed: fields.number('needed'), count: fields.number('count'), given, missing };
}

/** Says who has agreed and who is missing: `1 of 2 agreed: ann; 1 more of bob, cat`. */
export function approvalsInWords({ needed, count, given, missing }: Approvals): string {
  const names = given.map(
    ({ as, why }) => textCell(as) + (why === null ? '' : ` (does not count: ${sanitize(why)})`),
  );
  const rest = missing.map(
    ({ more, may }) =>
      `${more} more${may === null ? '' : ` of ${may.map((who) => textCell(who)).join(', ')}`}`,
  );
  const agreed = `${count} of ${needed} agreed`;
  return [names.length === 0 ? agreed : `${agreed}: ${names.join(', ')}`, ...rest].join('; ');
}

/** Says what a rule demands, and whether the session keeps to it. */
export function verdictInWords({ rule, holds, says, opensAt }: PolicyVerdict): string {
  const opens = opensAt === null ? '' : ` (opens ${opensAt})`;
  return `${holds ? 'holds' : 'BROKEN'}  ${textCell(rule)}: ${sanitize(says)}${opens}`;
}
