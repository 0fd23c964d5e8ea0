/** The session: its fields, its states, and the one table of transitions between them. */
import type { JsonText } from './json.ts';

export const sessionStatuses = ['active', 'proposed', 'approved', 'rejected'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const readsModes = ['production', 'staged'] as const;
/** Where a session's SELECTs read: production alone, or its own staged rows merged over production. */
export type ReadsMode = (typeof readsModes)[number];

export const conflictScopes = ['row', 'column'] as const;
/** What conflicts: any change of a row the session touched, or only changes of the same columns (the others merge). */
export type ConflictScope = (typeof conflictScopes)[number];

export type SessionEvent =
  | 'write'
  | 'unstage'
  | 'resolve'
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
  /** How often it was proposed. */
  readonly round: number;
  /** Number of statements that staged at least one row. */
  readonly mutationCount: number;
  /** How often staged rows were taken out of it, or put upon what production has. */
  readonly edits: number;
  /** ISO 8601 UTC with microseconds, e.g. `2026-01-31T12:00:00.000000Z`; so are all times below. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly proposedAt: string | null;
  readonly approvedAt: string | null;
  readonly approvedBy: string | null;
  readonly rejectedAt: string | null;
  readonly reason: string | null;
  /** Names of the tokens that were shown for it; null where nobody had to show one. */
  readonly createdAs: string | null;
  readonly proposedAs: string | null;
  readonly approvedAs: string | null;
  readonly rejectedAs: string | null;
  /** Database roles that staged in it, each once; null behind them where some mutation's is not known. */
  readonly roles: readonly (string | null)[];
  /** The approved session whose changes it was made to take back. */
  readonly reverts: string | null;
  /** Number of the last event that tells of it; `0` where none does. */
  readonly lastEvent: string;
}

/** What a client's connection has to know of its session. */
export type OpenedSession = Pick<Session, 'id' | 'reads'> & {
  /** Whether the role that logs in has standard_conforming_strings off, by ALTER ROLE or ALTER DATABASE. */
  readonly escapesBackslashes: boolean;
};

/** The first digits of a session's id: short enough to type, and unlikely to mean another one. */
export const shortId = (id: string) => id.slice('sess_'.length, 'sess_'.length + 8);

const final = {
  write: null,
  unstage: null,
  resolve: null,
  rehearse: null,
  propose: null,
  reopen: null,
  approve: null,
  reject: null,
  revert: null,
  delete: null,
} as const;

/** What each event makes of each status; null where the event is not allowed. */
export const transitions: Readonly<
  Record<SessionStatus, Readonly<Record<SessionEvent, SessionStatus | 'deleted' | null>>>
> = {
  active: {
    write: 'active',
    unstage: 'active',
    resolve: 'active',
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

/** Whether a text has the form of a session id; an id of any other form cannot exist. */
export function isSessionId(text: string): boolean {
  return sessionIdPattern.test(text);
}
