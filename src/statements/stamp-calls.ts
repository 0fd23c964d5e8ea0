/** Calls of the functions that give tables' stamps, where a statement of ours asks whether names are still good. */
import type { ErrorFields } from '../wire/error-fields.ts';

/**
 * The stamps as a further argument; empty where no table has a function for its own.
 * @param stamps for each relation its function, or null
 */
export function stampCalls(stamps: readonly (string | null)[]): string {
  if (stamps.every((name) => name === null)) return '';
  const calls = stamps.map((name) => (name === null ? 'NULL' : `${name}()`));
  return `, ARRAY[${calls.join(', ')}]`;
}

/** A function or a schema that is not there. */
const gone = new Set(['42883', '3F000']);

/**
 * Whether a stamp's function is not there any more: it went with its overlay, which is made anew. No other name of ours can be
 * missing, and what clients' values run into has no place in our text.
 */
export const isStampGone = (fields: ErrorFields) =>
  gone.has(fields.get('C') ?? '') && fields.has('P');
