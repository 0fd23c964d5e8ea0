/** Calls the functions that return tables' stamps, in internal statements that verify names. */
import type { ErrorFields } from '../wire/error-fields.ts';

/**
 * Returns the stamps as a further argument; empty when no table has a function for its stamp.
 * @param stamps for each relation its function, or null
 */
export function stampCalls(stamps: readonly (string | null)[]): string {
  if (stamps.every((name) => name === null)) return '';
  const calls = stamps.map((name) => (name === null ? 'NULL' : `${name}()`));
  return `, ARRAY[${calls.join(', ')}]`;
}

/** The SQLSTATEs of a missing function or schema. */
const gone = new Set(['42883', '3F000']);

/**
 * Returns whether a stamp's function is missing: it was dropped with its overlay, which is being rebuilt. No other internal name can be
 * missing, and errors in the clients' values have no position in an internal text.
 */
export const isStampGone = (fields: ErrorFields) =>
  gone.has(fields.get('C') ?? '') && fields.has('P');
