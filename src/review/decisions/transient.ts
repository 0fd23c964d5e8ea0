/** Errors of an approval by the service after which it is tried again later. */
import type { ErrorCode } from '../../errors.ts';
import { StageError } from '../../errors.ts';

const inUse: ReadonlySet<ErrorCode> = new Set(['session_busy', 'busy']);

/** Returns whether an error only reports that somebody else uses the session, its rows or the audit. */
export function isInUse(error: unknown): boolean {
  return error instanceof StageError && inUse.has(error.code);
}

/** Returns whether an error is not about what is staged: something is in use, or the service or the server cannot do it now. */
export function isTransient(error: unknown): boolean {
  return error instanceof StageError && (error.status >= 500 || inUse.has(error.code));
}
