/** What PostgreSQL refuses the service account for reasons that the operator of either can do something about. */
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

/** Locks held by others, a serialization failure, a deadlock: the same request may go through a moment later. */
const busyStates = new Set(['55P03', '40001', '40P01']);

/** Gives the error for the user; null where it says nothing to them. */
export function explainRefusal(cause: unknown): StageError | null {
  const sqlstate = sqlstateOf(cause);
  if (sqlstate === undefined) return null;
  const { message } = cause as Error;
  const facts = { sqlstate };
  if (sqlstate === '42501') {
    return new StageError('forbidden', `the service account lacks a right: ${message}`, {
      hint: 'Grant it to the service account, then try again: `stage doctor` lists what it lacks.',
      facts,
      cause,
    });
  }
  if (!busyStates.has(sqlstate)) return null;
  return new StageError('busy', `the database is in use: ${message}`, {
    hint: 'Nothing was changed. Others hold what is needed: try again in a moment.',
    facts,
    cause,
  });
}
