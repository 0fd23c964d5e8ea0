/** Errors of an approval by the service after which it is tried again later. */
import type { ErrorCode } from '../../errors.ts';
import { StageError } from '../../errors.ts';

const transient: ReadonlySet<ErrorCode> = new Set(['session_busy', 'session_not_found']);

/** Whether an error is not about what is staged: something is in use, or the service or the server cannot do it now. */
export function isTransient(error: unknown): boolean {
  return error instanceof StageError && (error.status >= 500 || transient.has(error.code));
}
