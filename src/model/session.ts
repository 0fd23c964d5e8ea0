/** The session: its fields, its states, and the table of transitions between them. */
import { JsonText } from './json.ts';
import type { Noun } from './shape.ts';
import {
  alsoNamed,
  beside,
  count,
  flag,
  json,
  list,
  named,
  orLeftOut,
  orNull,
  otherwise,
  shape,
  text,
  time,
  word,
} from './shape.ts';

export const sessionStatuses = ['active', 'proposed', 'approved', 'rejected'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

const sessionIdPattern = /^sess_[0-9a-f]{32}$/;

export const readsModes = ['production', 'staged'] as const;
/** The rows that SELECTs of a session read: production alone, or production with the session's staged rows merged in. */
export type ReadsMode = (typeof readsModes)[number];

export const conflictScopes = ['row', 'column'] as const;
/** The changes that count as conflicts: each of a row that the session touched, or only those of the same columns (others merge). */
export type ConflictScope = (typeof conflictScopes)[number];

export type SessionEvent =
  | 'write'
  | 'unstage'
  | 'resolve'
  | 'split'
  | 'rehearse'
  | 'propose'
  | 'reopen'
  | 'approve'
  | 'reject'
  | 'revert'
  | 'delete';

const name = (description: string) => orLeftOut(text(description));

export const sessionShape = shape(
  {
    id: alsoNamed(
      'id',
      named(
        'session_id',
        text('`sess_` and 32 hexadecimal digits: 128 random bits', sessionIdPattern),
      ),
    ),
    projectId: otherwise(text(), ''),
    metadata: otherwise(json('object', "The caller's JSON object, as stored"), new JsonText('{}')),
    status: word(sessionStatuses),
    reads: otherwise(word(readsModes), 'production'),
    conflictScope: otherwise(word(conflictScopes), 'row'),
    round: count('How often it was proposed'),
    mutationCount: count(),
    edits: count('How often staged rows were removed or rebased'),
    lastEvent: otherwise(text('Number of its last event; 0 if there is none'), '0'),
    createdAt: otherwise(time(), ''),
    updatedAt: otherwise(time(), ''),
    reverts: name('The approved session whose changes it was created to revert'),
    splitFrom: name('The session that it was split from'),
    remaining: named(
      'remaining_session_id',
      name('The session that has the rest, where only a part was approved'),
    ),
    reviewedDigest: name(
      'Digest of the whole diff that was reviewed, where only a part was approved',
    ),
    createdAs: name('Name of the token that created it'),
    proposedAs: name('Name of the token that proposed it'),
    approvedAs: name('Name of the token that approved it'),
    rejectedAs: name('Name of the token that rejected it'),
    roles: list(
      orNull(text()),
      'Database roles that staged in it; the last is null if the role of some mutation is unknown',
    ),
    proposedAt: orLeftOut(time()),
    approvedAt: alsoNamed('applied_at', orLeftOut(time())),
    approvedBy: beside('approvedAt', orNull(text("The approver's name as the caller stated it"))),
    rejectedAt: orLeftOut(time()),
    reason: beside('rejectedAt', orNull(text('Why it was rejected'))),
    applyAt: orLeftOut(time('When its approval is applied, where that was scheduled')),
    scheduledAs: name('Name of the token that scheduled its approval'),
    breakGlass: name('Why it was approved past the policy'),
    reviewDue: orLeftOut(flag('Whether nobody else has reviewed such an approval yet')),
    reviewedAt: orLeftOut(time()),
    reviewedAs: name('Name of the token that reviewed it after the approval'),
  },
  'Session',
);

export type Session = Noun<typeof sessionShape>;

/** The part of a session that a client connection needs. */
export type OpenedSession = Pick<Session, 'id' | 'reads'> & {
  /** Whether ALTER ROLE or ALTER DATABASE turns standard_conforming_strings off for the role that logs in. */
  readonly escapesBackslashes: boolean;
};

/** Returns the first digits of a session's id, which are short enough to type and almost always unique. */
export const shortId = (id: string) => id.slice('sess_'.length, 'sess_'.length + 8);

const final = {
  write: null,
  unstage: null,
  resolve: null,
  split: null,
  rehearse: null,
  propose: null,
  reopen: null,
  approve: null,
  reject: null,
  revert: null,
  delete: null,
} as const;

/** The status that follows from each event in each status; null if the event is not allowed. */
export const transitions: Readonly<
  Record<SessionStatus, Readonly<Record<SessionEvent, SessionStatus | 'deleted' | null>>>
> = {
  active: {
    write: 'active',
    unstage: 'active',
    resolve: 'active',
    split: 'active',
    rehearse: 'active',
    propose: 'proposed',
    reopen: null,
    approve: null,
    reject: null,
    revert: null,
    delete: 'deleted',
  },
  proposed: {
    write: null,
    unstage: null,
    resolve: null,
    split: null,
    rehearse: 'proposed',
    propose: null,
    reopen: 'active',
    approve: 'approved',
    reject: 'rejected',
    revert: null,
    delete: 'deleted',
  },
  approved: { ...final, revert: 'approved' },
  rejected: final,
};

/** Checks whether a text has the form of a session id. */
export function isSessionId(text: string): boolean {
  return sessionIdPattern.test(text);
}
