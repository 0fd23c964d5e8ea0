/** Reports an error: to people what failed and what to do next, with --json the error object of the REST interface. */
import { randomUUID } from 'node:crypto';

import { valueCell } from '../client/cell.ts';
import { conflictLine, conflictsOf, dependentLines } from '../client/place-words.ts';
import { sanitize } from '../client/sanitize.ts';
import type { ErrorCode } from '../errors.ts';
import { StageError } from '../errors.ts';
import { JsonText, stringifyJson } from '../model/json.ts';
import type { Output } from './output/output.ts';

/** Converts any error to one with a code, an exit code and a message. */
export function toStageError(error: unknown): StageError {
  if (error instanceof StageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StageError('internal', message, {
    hint: 'Repeat the command with --debug to see where it failed.',
    cause: error,
  });
}

/** Writes an error to stderr. */
export async function reportFailure(out: Output, error: StageError, debug: boolean): Promise<void> {
  if (out.json) return out.note(failureJson(error));
  await out.note(`${out.paintNote('failure', 'error:')} ${indented(error.message)}`);
  for (const conflict of conflictsOf(error)) await out.note(`  ${conflictLine(conflict)}`);
  for (const line of dependentLines(error)) await out.note(`  ${line}`);
  if (error.detail) await out.note(`  ${indented(error.detail)}`);
  const requestId = error.facts['request_id'];
  if (requestId instanceof JsonText) await out.note(`request: ${valueCell(requestId)}`);
  if (debug) await out.note(stackOf(error));
  await out.note(`${out.paintNote('advice', 'hint:')} ${advice(error)}`);
}

/** Returns what to do next, with a command to type where one helps. */
function advice({ hint, code }: StageError): string {
  const command = nextCommands[code];
  if (hint && (command === undefined || typeable.test(hint))) return sanitize(hint);
  return [...(hint ? [sanitize(hint)] : []), `Next: ${command ?? 'stage --help'}`].join(' ');
}

const typeable = /`?\bstage [a-z-]|--[a-z]|Did you mean|Allowed choices/;

const nextCommands: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'stage help environment',
  forbidden: 'stage help environment',
  session_not_found: 'stage session list',
  audit_entry_not_found: 'stage audit list',
  invalid_transition: 'stage session show',
  conflict_detected: 'stage check',
  apply_failed: 'stage diff',
  not_revertible: 'stage audit list',
  no_such_change: 'stage diff',
  no_such_conflict: 'stage check',
  not_resolvable: 'stage check',
  has_dependents: 'stage diff',
  not_splittable: 'stage diff',
  not_unstageable: 'stage diff',
  session_busy: 'stage watch',
  busy: 'stage status',
  took_too_long: 'stage status',
  internal: 'stage status',
  digest_mismatch: 'stage diff',
  still_pending: 'stage wait',
  upstream_unavailable: 'stage status',
  too_many_connections: 'stage status',
  configuration_invalid: 'stage serve --print-config',
  configuration_untrusted: 'stage trust',
};

/** Indents continuation lines, so that text from elsewhere cannot pass for a hint. */
function indented(text: string): string {
  return text.split('\n').map(sanitize).join('\n  ');
}

/** Returns the error as JSON. The facts come last, as they contain a code that this client does not know. */
function failureJson(error: StageError): string {
  const { code, message, hint, facts } = error;
  // without a request, the random id occurs in no log
  return stringifyJson({ error: code, message, hint, request_id: randomUUID(), ...facts });
}

/** Returns the stack trace line by line, with each line sanitized. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const lines = (error.stack ?? error.message).split('\n').map(sanitize);
  return [
    ...lines,
    ...(error.cause === undefined ? [] : [`caused by ${stackOf(error.cause)}`]),
  ].join('\n');
}
