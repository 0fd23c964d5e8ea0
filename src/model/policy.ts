/** The policy, and its verdicts on a session, as the REST interface states them. */
import type { Noun } from './shape.ts';
import {
  count,
  flag,
  json,
  list,
  noun,
  optional,
  orNull,
  shape,
  text,
  time,
  word,
} from './shape.ts';

const version = (description: string) => text(description, /^\d+$/);

export const policyVersionShape = shape(
  {
    version: version('0 if none was ever set'),
    document: json('object'),
    hash: orNull(text("SHA-256 of the document's text")),
    setBy: orNull(text()),
    message: orNull(text()),
    at: orNull(time()),
  },
  'PolicyVersion',
);

export type PolicyVersion = Noun<typeof policyVersionShape>;

const limits = [
  'deny',
  'deny_columns',
  'max_rows',
  'max_rows_per_statement',
  'budget',
  'expire',
  'windows',
  'four_eyes',
  'approvals',
] as const;
export type Limit = (typeof limits)[number];

export const verdictShape = shape(
  {
    rule: text(),
    limit: word(limits),
    table: orNull(text('null if it is about the session')),
    holds: flag('Whether the session complies with it'),
    says: text(),
    opensAt: optional(text('When the windows open')),
  },
  'PolicyVerdict',
);

export type PolicyVerdict = Noun<typeof verdictShape>;

const voteShape = shape({
  as: text(),
  at: time(),
  counts: flag(),
  why: orNull(text('Why it does not count')),
});

const demandShape = shape({
  rule: text(),
  more: count(),
  from: orNull(
    list(text(), 'Names, and roles as role:reviewer; null for everybody who may approve'),
  ),
});

/** The state of the votes on a session. */
export const approvalsShape = shape(
  {
    needed: count('How many must agree, by the demand that most are missing for'),
    count: count('How many of them have agreed'),
    given: list(noun(voteShape)),
    missing: list(noun(demandShape), 'The demands that are not met'),
  },
  'Approvals',
);

export type Approvals = Noun<typeof approvalsShape>;

export const sessionPolicyShape = shape({
  version: version('Of the policy; 0 if it has no rules, or the session is decided'),
  verdicts: list(noun(verdictShape)),
  approvals: optional(noun(approvalsShape)),
  breakGlass: optional(
    list(text(), 'Names of those who may go past rules that hold for it, with a reason'),
  ),
});

export type SessionPolicy = Noun<typeof sessionPolicyShape>;
