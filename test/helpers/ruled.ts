/** A REST interface with named tokens and a policy, and the work that the service does without anybody. */
import type { Database } from '../../src/db/database.ts';
import { findIn } from '../../src/rest/policy-bodies.ts';
import type { AutoOutcome, AutoRules } from '../../src/review/decisions/auto-approve.ts';
import { createPolicyUpkeep } from '../../src/review/decisions/follow-policy.ts';
import type { ExpiryOutcome } from '../../src/review/policy/expire-by-policy.ts';
import type { Answer, Sent } from './http.ts';
import type { TestRest, TestRestOptions } from './rest.ts';
import { startTestRest, testToken } from './rest.ts';
import { assert } from './suite.ts';

export const ruledTokens = [
  testToken({ name: 'bot', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'bob', role: 'reviewer' }),
  testToken({ name: 'cat', role: 'operator' }),
];

/** Returns a request with a token, and with a body if one is given. */
export const as = (secret: string, json?: object, headers = {}): Sent => ({
  headers: { authorization: `Bearer ${secret}`, ...headers },
  ...(json === undefined ? {} : { json }),
});

export interface Ruled {
  readonly rest: TestRest;
  /** The needs of an approval by the service. */
  readonly rules: AutoRules;
  /** Tries to set a policy with these rules, which get names. */
  put(...rules: object[]): Promise<Answer>;
  set(...rules: object[]): Promise<void>;
  /** Stages statements in a new session, and returns its id. */
  staged(...statements: string[]): Promise<string>;
  /** Stages statements in a new session, proposes it, and returns its id. */
  proposed(...statements: string[]): Promise<string>;
  approve(id: string, secret: string, body?: object): Promise<Answer>;
  // biome-ignore lint/suspicious/noExplicitAny: a response is whatever it is
  show(id: string): Promise<any>;
  events(id: string): Promise<readonly string[]>;
  /** Moves the time at which a session's approval is applied, and that of the proposal, into the past. */
  age(id: string, interval: string): Promise<void>;
}

/** Returns the function by which a daemon approves the sessions that the policy approves. */
export function autoApproval(
  db: Database,
  rules: AutoRules,
): () => Promise<readonly AutoOutcome[]> {
  const follow = createPolicyUpkeep(db, rules);
  return async () => (await follow()).approved;
}

/** Returns the function by which a daemon rejects what is too old. */
export function policyExpiry(
  db: Database,
  rules: AutoRules,
): () => Promise<readonly ExpiryOutcome[]> {
  const follow = createPolicyUpkeep(db, rules);
  return async () => (await follow()).expired;
}

/** Returns a policy document of the rules, with the names r0, r1, ... */
export const documentOf = (rules: readonly object[]) => ({
  rules: rules.map((rule, index) => ({ name: `r${index}`, ...rule })),
});

/** Starts the interface with the tokens. */
export async function startRuled(options: TestRestOptions = {}): Promise<Ruled> {
  const tokens = options.tokens ?? ruledTokens;
  const rest = await startTestRest({ tokens, ...options });
  const put = (...rules: object[]) => {
    const document = documentOf(rules);
    return rest.call('PUT', '/policy', as('cat', { document }, { 'if-match': '*' }));
  };
  const staged = async (...statements: string[]) => {
    const { body } = await rest.call('POST', '/sessions', as('bot', {}));
    for (const statement of statements) await rest.write(body.session_id, statement);
    return String(body.session_id);
  };
  return {
    rest,
    rules: {
      fourEyes: options.fourEyes ?? false,
      ignoredColumns: [],
      sensitiveColumns: options.sensitiveColumns ?? [],
      refuseDifferences: false,
      lockTimeoutMs: 2_000,
      find: findIn(tokens),
      rehearsal: { access: 'reviewers', timeoutMs: 30_000, scanRows: 1_000_000 },
    },
    put,
    set: async (...rules) => {
      const { status, body } = await put(...rules);
      assert.is(status, 200, JSON.stringify(body));
    },
    staged,
    proposed: async (...statements) => {
      const id = await staged(...statements);
      const { status, body } = await rest.call('POST', `/sessions/${id}/propose`, as('bot', {}));
      assert.is(status, 200, JSON.stringify(body));
      return id;
    },
    approve: (id, secret, body = {}) =>
      rest.call('POST', `/sessions/${id}/approve`, as(secret, body)),
    show: async (id) => (await rest.call('GET', `/sessions/${id}`, as('bot'))).body,
    events: async (id) => {
      const { body } = await rest.call('GET', `/sessions/${id}/events`, as('bot'));
      return body.events.map(({ kind }: { kind: string }) => kind);
    },
    age: async (id, interval) => {
      await rest.database.query(`UPDATE stage.session SET apply_at = apply_at - interval '${interval}',
        proposed_at = proposed_at - interval '${interval}' WHERE id = '${id.slice(5)}'`);
    },
  };
}
