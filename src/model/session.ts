/** The session: its fields, its states, and the table of transitions between them. */
import type { JsonText } from './json.ts';

export const sessionStatuses = ['active', 'proposed', 'approved', 'rejected'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const readsModes = ['production', 'staged'] as const;
/** What a session's SELECTs read: production alone, or production with the session's staged rows merged in. */
export type ReadsMode = (typeof readsModes)[number];

export const conflictScopes = ['row', 'column'] as const;
/** What counts as a conflict: any change of a row that the session touched, or only changes of the same columns (others merge). */
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

export interface Session {
  /** `sess_` and 32 hexadecimal digits: 128 random bits. */
  readonly id: string;
  readonly projectId: string;
  /** The caller's JSON object, as stored. */
  readonly metadata: JsonText;
  readonly status: SessionStatus;
  readonly reads: ReadsMode;
  readonly conflictScope: ConflictScope;
  /** Number of times it was proposed. */
  readonly round: number;
  /** Number of its mutations. */
  readonly mutationCount: number;
  /** Number of times that staged rows were removed or rebased. */
  readonly edits: number;
  /** ISO 8601 UTC with microseconds, e.g. `2026-01-31T12:00:00.000000Z`. All times below have this form. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly proposedAt: string | null;
  readonly approvedAt: string | null;
  readonly approvedBy: string | null;
  readonly rejectedAt: string | null;
  readonly reason: string | null;
  /** Names of the tokens used; null if no token was required. */
  readonly createdAs: string | null;
  readonly proposedAs: string | null;
  readonly approvedAs: string | null;
  readonly rejectedAs: string | null;
  /** The distinct database roles that staged in it. The last is null if the role of some mutation is unknown. */
  readonly roles: readonly (string | null)[];
  /** The approved session whose changes it was created to revert. */
  readonly reverts: string | null;
  /** The session that it was split from. */
  readonly splitFrom: string | null;
  /** The session that has the rest, where a part was approved. */
  readonly remaining: string | null;
  /** Digest of the whole diff that was reviewed, where a part was approved. */
  readonly reviewedDigest: string | null;
  /** Number of its last event; `0` if there is none. */
  readonly lastEvent: string;
}

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

const sessionIdPattern = /^sess_[0-9a-f]{32}$/;

/** Checks whether a text has the form of a session id. */
export function isSessionId(text: string): boolean {
  return sessionIdPattern.test(text);
}
