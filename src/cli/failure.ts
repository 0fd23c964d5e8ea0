/** Tells about an error: for people what failed and what to do next, with --json the object REST would answer. */
import { randomUUID } from 'node:crypto';

import { keyCell, nameCell, tableCell, valueCell } from '../client/cell.ts';
import { readConflict } from '../client/decode.ts';
import { elementsOf } from '../client/fields.ts';
import { sanitize } from '../client/sanitize.ts';
import type { RowReport } from '../client/unstage.ts';
import { readRow } from '../client/unstage.ts';
import { columnCell, sidesOf } from '../client/values.ts';
import { conflictInWords, hiddenInWords } from '../client/words.ts';
import type { ErrorCode } from '../errors.ts';
import { StageError } from '../errors.ts';
import type { Conflict } from '../model/change.ts';
import { JsonText, stringifyJson } from '../model/json.ts';
import type { Output } from './output.ts';

/** Makes any error one that has a code, an exit code and a sentence. */
export function toStageError(error: unknown): StageError {
  if (error instanceof StageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StageError('internal', message, {
    hint: 'Repeat the command with --debug to see where it failed.',
    cause: error,
  });
}

/** Writes an error to stderr. */
export async function tellFailure(out: Output, error: StageError, debug: boolean): Promise<void> {
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

/** What to do next, which ends with a command to type. */
function advice({ hint, code }: StageError): string {
  if (hint && typeable.test(hint)) return sanitize(hint);
  return [...(hint ? [sanitize(hint)] : []), `Next: ${nextCommands[code] ?? 'stage --help'}`].join(
    ' ',
  );
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
  not_unstageable: 'stage diff',
  session_busy: 'stage watch',
  busy: 'stage approve',
  digest_mismatch: 'stage diff',
  still_pending: 'stage wait',
  upstream_unavailable: 'stage status',
  too_many_connections: 'stage status',
  configuration_invalid: 'stage serve --print-config',
};

/** Only what we write ourselves begins a line: text from elsewhere cannot pass for a hint. */
function indented(text: string): string {
  return text.split('\n').map(sanitize).join('\n  ');
}

/** The facts come last: for a code this client does not know they carry it. */
function failureJson(error: StageError): string {
  const { code, message, hint, facts } = error;
  // of an error that no request has led to, the id is found in no log
  return stringifyJson({ error: code, message, hint, request_id: randomUUID(), ...facts });
}

function conflictsOf(error: StageError): readonly Conflict[] {
  const conflicts = error.facts['conflicts'];
  return conflicts instanceof JsonText ? elementsOf(conflicts).map(readConflict) : [];
}

const mostDependents = 20;

/** The rows that would have to go with others. */
function dependentLines({ facts }: StageError): string[] {
  const { dependents, dependents_count: count } = facts;
  if (!(dependents instanceof JsonText)) return [];
  const rows = elementsOf(dependents).map(readRow).slice(0, mostDependents);
  const more = Number(count instanceof JsonText ? count.text : 0) - rows.length;
  return [...rows.map(rowPlace), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** A row by its table and key. */
export const rowPlace = ({ table, rowId }: RowReport) =>
  `${tableCell(table)} ${rowId === null ? hiddenInWords : keyCell(rowId)}`;

/** The row that a conflict is about. */
export const conflictPlace = ({ table, rowId }: Conflict) =>
  `${tableCell(table)} ${keyCell(rowId)}`;

/** Says of one conflict where it is, and what the three sides have. */
function conflictLine(conflict: Conflict): string {
  const place = conflictPlace(conflict);
  if (conflict.kind === 'schema') return `${schemaPlace(conflict)}: ${conflictInWords(conflict)}`;
  if (conflict.field === null) return `${place}: ${conflictInWords(conflict)}`;
  const [base, staged, production] = conflictSides(conflict);
  return `${place} ${nameCell(conflict.field)}: was ${base}, staged ${staged}, in production ${production}`;
}

/** The table, or the column, that has changed. */
const schemaPlace = ({ table, field }: Conflict) =>
  field === null ? tableCell(table) : `${tableCell(table)} ${nameCell(field)}`;

/** What base, session and production have, as cells. */
export function conflictSides(conflict: Conflict): [string, string, string] {
  const [base, staged, current] = sidesOf(conflict);
  return [columnCell(base), columnCell(staged), columnCell(current)];
}

/** Stack traces keep their lines; each line is made safe. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const lines = (error.stack ?? error.message).split('\n').map(sanitize);
  return [
    ...lines,
    ...(error.cause === undefined ? [] : [`caused by ${stackOf(error.cause)}`]),
  ].join('\n');
}
