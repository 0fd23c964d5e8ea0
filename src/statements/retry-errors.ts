/** Classifies the errors of a write by whether another try may succeed. */
import { staleNames } from '../server-connection/error-mapping.ts';
import type { ErrorFields } from '../wire/error-fields.ts';

/** A table, column, function, type or schema that does not exist or has another type; or a table that is known to have changed. */
const unknownNames = new Set([
  ...['42P01', '42703', '42883', '42704', '42804', '42846', '3F000', staleNames],
]);

/**
 * Returns whether the text of a statement may have failed because its names or types have changed: a constant may not fit the type that its
 * column had. The name of the prepared statement itself (42P05) belongs to the client.
 */
export const isOfNames = (sqlstate: string) => /^(?:22|42)/.test(sqlstate) && sqlstate !== '42P05';

/**
 * Returns whether a function of an overlay failed on a name that no longer exists: a table that it references was altered, which its own
 * table's stamp does not show. Its other errors are those that it raises itself in place of PostgreSQL.
 */
export function failedInOverlay(fields: ErrorFields): boolean {
  return (
    unknownNames.has(fields.get('C') ?? '') && (fields.get('W') ?? '').includes(' stage_data.')
  );
}

/** Returns whether the statement was cancelled, by a user or a time limit. The rows are not the cause then. */
export const isInterrupt = (fields: ErrorFields) => fields.get('R') === 'ProcessInterrupts';

/** Returns whether the policy has refused the statement (see stage.refuse_by_policy): it checks the staged rows, staged in whatever way. */
export const isByPolicy = (fields: ErrorFields) =>
  fields.get('s') === 'stage' && fields.get('t') === 'policy';

/** Returns the error without a field. */
export const without = (field: string, fields: ErrorFields): ErrorFields =>
  new Map([...fields].filter(([code]) => code !== field));
