/** Errors of an approval by the service after which it is tried again later. */
import type { ErrorCode } from '../../errors.ts';
import { StageError } from '../../errors.ts';

const transient: ReadonlySet<ErrorCode> = new Set([
  'busy',
  'session_busy',
  'session_not_found',
  'took_too_long',
  'upstream_unavailable',
  'too_many_connections',
  'service_outdated',
]);

export function isTransient(error: unknown): boolean {
  return error instanceof StageError && transient.has(error.code);
}
