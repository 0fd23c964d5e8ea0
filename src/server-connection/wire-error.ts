/** Converts errors of the service to those of the wire protocol. */
import { StageError } from '../errors.ts';
import type { ErrorFields, Severity } from '../wire/error-fields.ts';
import { errorFields } from '../wire/error-fields.ts';

/** Returns the fields for any error. An error that is not meant for users is reported without its details. */
export function wireError(severity: Severity, error: unknown): ErrorFields {
  if (error instanceof StageError) return errorFields(severity, error);
  return errorFields(severity, {
    sqlstate: 'XX000',
    message: 'internal error of the staging service',
    hint: "The service's log has the details.",
  });
}
