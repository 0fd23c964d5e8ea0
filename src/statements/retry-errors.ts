/** What the error of a write tells of whether another try may succeed. */
import { staleNames } from '../server-connection/error-mapping.ts';
import type { ErrorFields } from '../wire/error-fields.ts';

/** A table, column, function or type that is no more, or is of another type; or a table that is known to have changed. */
const unknownNames = new Set(['42P01', '42703', '42883', '42704', '42804', '42846', staleNames]);

/**
 * Whether a function of an overlay met a name that is no more: a table that it refers to was altered, of which the table's
 * own stamp tells nothing. Other errors there are those that it raises itself, in PostgreSQL's place.
 */
export function failedInOverlay(fields: ErrorFields): boolean {
  return (
    unknownNames.has(fields.get('C') ?? '') && (fields.get('W') ?? '').includes(' stage_data.')
  );
}

/** Whether somebody had the statement cancelled, or a time limit did: the rows are not what failed. */
export const isInterrupt = (fields: ErrorFields) => fields.get('R') === 'ProcessInterrupts';

/** Returns the error without a field. */
export const without = (field: string, fields: ErrorFields): ErrorFields =>
  new Map([...fields].filter(([code]) => code !== field));
