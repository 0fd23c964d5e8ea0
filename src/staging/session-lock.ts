/** The lock under which a session changes its state. Staged writes hold the row FOR SHARE until their transaction ends. */
import type { Queryable, Row } from '../db/database.ts';
import { StageError } from '../errors.ts';
import type { ConflictScope, SessionEvent, SessionStatus } from '../model/session.ts';
import { transitions } from '../model/session.ts';
import { demandServable } from './servable.ts';
import { sessionNotFound, sessionUuid } from './session-id.ts';

const lockTimeout = '2s';

const lockRow = `
-- guard: whoever proposed an earlier round is an author
SELECT id AS uuid, project_id, status, conflict_scope, digest, sealed, reverts IS NOT NULL AS reverts, to_jsonb(earlier_authors || ARRAY[created_as, proposed_as]) AS authors
FROM stage.session WHERE id = $1 FOR UPDATE`;

export interface LockedSession {
  readonly id: string;
  /** The key of the session's row. */
  readonly uuid: string;
  readonly projectId: string;
  readonly status: SessionStatus;
  readonly conflictScope: ConflictScope;
  /** Digest of the approved diff; null in any other state. */
  readonly digest: string | null;
  /** Rows staged under a greater number came after the proposal; null while the session is active. */
  readonly sealed: string | null;
  /** It was made to take back another one: what nobody's login has staged in it is the service's doing. */
  readonly reverts: boolean;
  /** Authenticated names of who created it and of everybody who proposed it; null where nobody had to show a token. */
  readonly authors: readonly (string | null)[];
}

/**
 * Locks a session until the transaction ends.
 * @throws StageError `session_not_found`, those of demandServable, or `session_busy` when somebody holds the session longer than a moment
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
  const authors = JSON.parse((row as LockRow).authors) as (string | null)[];
  const reverts = row['reverts'] === 't';
  const locked = { id, uuid, projectId, status, conflictScope: conflict_scope };
  return { ...locked, digest, sealed, reverts, authors };
}

/** @throws StageError `invalid_transition` when the table of transitions has no place for the event */
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

/** The SQLSTATE of an error that came from PostgreSQL. */
export function sqlstateOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** What can be done with a session in its state. */
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
  readonly sealed: string | null;
  readonly authors: string;
};
