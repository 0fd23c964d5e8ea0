/** How an error of ours looks to a PostgreSQL client. */
import { StageError } from '../errors.ts';
import type { ErrorFields, Severity } from '../wire/error-fields.ts';
import { errorFields } from '../wire/error-fields.ts';

/** Gives the fields for any error; one that was not made for users tells them nothing but that it happened. */
export function wireError(severity: Severity, error: unknown): ErrorFields {
  if (error instanceof StageError) return errorFields(severity, error);
  return errorFields(severity, {
    sqlstate: 'XX000',
    message: 'internal error of the staging service',
    hint: "The service's log has the details.",
  });
}
