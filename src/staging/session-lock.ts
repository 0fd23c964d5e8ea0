/** The row lock for state changes of a session. Staged writes hold the row FOR SHARE until their transaction ends. */
import type { Queryable, Row } from '../db/database.ts';
import { StageError } from '../errors.ts';
import type { ConflictScope, SessionEvent, SessionStatus } from '../model/session.ts';
import { transitions } from '../model/session.ts';
import { demandServable } from './servable.ts';
import { sessionNotFound, sessionUuid } from './session-id.ts';

const lockTimeout = '2s';

const lockRow = `
-- guard: the proposer of an earlier round is an author
SELECT id AS uuid, project_id, status, conflict_scope, digest, reviewed_digest, reviewed_part, remaining, sealed, reverts IS NOT NULL AS reverts, to_jsonb(earlier_authors || ARRAY[created_as, proposed_as]) AS authors
FROM stage.session WHERE id = $1 FOR UPDATE`;

export interface LockedSession {
  readonly id: string;
  /** The primary key of the session. */
  readonly uuid: string;
  readonly projectId: string;
  readonly status: SessionStatus;
  readonly conflictScope: ConflictScope;
  /** Digest of the approved diff; null in any other state. */
  readonly digest: string | null;
  /** Digest of the whole diff, where a part of it was approved. */
  readonly reviewedDigest: string | null;
  /** Hash of the requested part, where a part was approved. */
  readonly reviewedPart: string | null;
  /** Id of the session that has the rest, where a part was approved. */
  readonly remaining: string | null;
  /** Rows with a greater number were staged after the proposal; null while the session is active. */
  readonly sealed: string | null;
  /** Whether it was created to revert another session. The service staged the rows that have no login. */
  readonly reverts: boolean;
  /** Authenticated names of its creator and of everybody who proposed it; null if no token was required. */
  readonly authors: readonly (string | null)[];
}

/**
 * Locks a session until the transaction ends.
 * @throws StageError `session_not_found`, those of `demandServable`, or `session_busy` if the lock is not free within 2 seconds
 */
export async function lockSession(tx: Queryable, id: string): Promise<LockedSession> {
  const uuid = sessionUuid(id);
  await demandServable(tx);
  await tx.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
  const [row] = await tx.query(lockRow, [uuid]).catch((error: unknown) => {
    throw sqlstateOf(error) === '55P03' ? sessionBusy(id, error) : error;
  });
  await tx.query('SET LOCAL lock_timeout = DEFAULT');
  if (row === undefined) throw sessionNotFound(id);
  const { status, conflict_scope, digest, sealed, project_id: projectId } = row as LockRow;
  const { reviewed_digest: reviewedDigest, reviewed_part: reviewedPart } = row as LockRow;
  const { remaining: rest } = row as LockRow;
  const remaining = rest && `sess_${rest.replaceAll('-', '')}`;
  const authors = JSON.parse((row as LockRow).authors) as (string | null)[];
  const reverts = row['reverts'] === 't';
  const locked = { id, uuid, projectId, status, conflictScope: conflict_scope };
  return { ...locked, digest, reviewedDigest, reviewedPart, remaining, sealed, reverts, authors };
}

/** Checks that the session's state allows the event. @throws StageError `invalid_transition` */
export function requireTransition(session: LockedSession, event: SessionEvent): void {
  if (transitions[session.status][event] !== null) return;
  throw new StageError(
    'invalid_transition',
    `cannot ${event} session ${session.id}: it is ${session.status}`,
    {
      hint: nextSteps[session.status](session.id),
      facts: { status: session.status },
    },
  );
}

/** Returns the SQLSTATE of an error from PostgreSQL. */
export function sqlstateOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** The possible next steps with a session in each state. */
const nextSteps: Readonly<Record<SessionStatus, (id: string) => string>> = {
  active: (id) => `Propose it first: \`stage propose ${id}\`.`,
  proposed: (id) =>
    `It waits for a decision: \`stage approve ${id}\`, \`stage reject ${id}\`, or \`stage reopen ${id}\` to ask for changes.`,
  approved: (id) =>
    `Its changes are in production: \`stage audit list --session ${id}\`. For further ones: \`stage session new\`.`,
  rejected: () => 'Its changes were discarded: start anew with `stage session new`.',
};

function sessionBusy(id: string, cause: unknown): StageError {
  return new StageError(
    'session_busy',
    `session ${id} is in use: an open transaction holds staged writes, or it is being reviewed`,
    {
      hint: 'Commit or roll back the transaction, or wait for the other review, then retry.',
      cause,
    },
  );
}

type LockRow = Row & {
  readonly project_id: string;
  readonly status: SessionStatus;
  readonly conflict_scope: ConflictScope;
  readonly digest: string | null;
  readonly reviewed_digest: string | null;
  readonly reviewed_part: string | null;
  readonly remaining: string | null;
  readonly sealed: string | null;
  readonly authors: string;
};
