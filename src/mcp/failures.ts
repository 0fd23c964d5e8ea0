/** Explains errors to an agent: a sentence of the service, the SQLSTATE or code, and what to do next. */
import { sanitize } from '../client/sanitize.ts';
import type { ErrorCode } from '../errors.ts';
import { StageError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { JsonText } from '../model/json.ts';
import { elementsOf } from '../model/json-members.ts';
import { fitting } from './data.ts';
import { ConnectionFailed } from './statement.ts';

export interface Failure {
  readonly summary: string;
  readonly next: string;
  readonly facts: JsonObject;
  /** PostgreSQL's message, which can contain text of rows and of the database's functions. */
  readonly data?: JsonObject;
}

/** Explains any error, without a stack or the location of the service. */
export function explainFailure(error: unknown): Failure {
  if (error instanceof StageError) return ofService(error);
  if (error instanceof ConnectionFailed) return ofConnection(error);
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return ofDatabase(code, error);
  return {
    summary: 'The call failed for a reason that is not yours.',
    next: 'Repeat it once; if it fails again, tell the person you work for.',
    facts: { error: 'internal' },
  };
}

/** The next step for each of the service's error codes. */
const nextByCode: Partial<Record<ErrorCode, string>> = {
  session_not_found: 'Check session_id, or start a session with open_session.',
  invalid_transition: 'Check the state of the session with session_status.',
  session_busy: 'Wait until your other calls on this session have ended, then repeat the call.',
  invalid_request: 'Correct the arguments.',
  forbidden: 'The token does not allow this; do what the other tools offer, or ask a person.',
  unauthorized: 'Ask a person for a valid token.',
  idempotency_conflict: 'Start the session with another purpose.',
  policy_refused:
    'The rules do not change by trying again. Check with session_status which rules hold, and start a session that keeps to them, or ask a person.',
  has_dependents:
    'data has the rows that would have to go along: choose them, too, or repeat the call with with_ties.',
  not_splittable: 'Choose other rows, and leave some in the session; or propose it as a whole.',
  no_such_change: 'Check with show_diff which rows are staged, and under which row_id.',
  payload_too_large: 'Send less at once.',
  busy: 'Wait a little, then repeat the call.',
  took_too_long: 'Ask for less at once.',
};

const awayCodes: ReadonlySet<ErrorCode> = new Set([
  'server_unavailable',
  'upstream_unavailable',
  'too_many_connections',
]);

function ofService({ code, message, facts }: StageError): Failure {
  if (awayCodes.has(code)) return { ...away, facts: { error: code } };
  if (code === 'internal') return { ...explainFailure(null), facts: { error: code } };
  const status = typeof facts['status'] === 'object' ? facts['status'] : undefined;
  const { dependents } = facts;
  return {
    summary: `Refused (${code}): ${sanitize(message)}`,
    next: nextByCode[code] ?? 'Check the state of the session with session_status.',
    facts: { error: code, status },
    // keys of rows are data
    ...(dependents instanceof JsonText && {
      data: { dependents: fitting(elementsOf(dependents))[0] },
    }),
  };
}

const away = {
  summary: 'The service or its database cannot be reached at present.',
  next: 'Wait a little and repeat the call; rows that were staged before are retained.',
};

function ofConnection({ sqlstate }: ConnectionFailed): Failure {
  if (sqlstate?.startsWith('28')) {
    return {
      summary: `The database does not let the agent's login in (SQLSTATE ${sqlstate}).`,
      next: 'Tell the person who set you up: PGUSER, PGPASSWORD or PGPASSFILE is wrong.',
      facts: { sqlstate },
    };
  }
  if (sqlstate === '08004') {
    return {
      summary: 'There is no such session (SQLSTATE 08004).',
      next: nextByCode.session_not_found ?? '',
      facts: { sqlstate },
    };
  }
  return { ...away, facts: { sqlstate } };
}

/** The next step for a SQLSTATE, or its class. */
const nextByState: Readonly<Record<string, string>> = {
  '25006':
    'The query tool only reads: use stage_write to change rows. If stage_write returns this, do what the hint says; without one the session takes no writes in its present state: check with session_status.',
  '0A000':
    'This statement cannot be staged. Do what its hint says; rows are changed by INSERT, UPDATE, DELETE or MERGE, definitions by a migration, for which ask a person.',
  '42P01': 'Find the tables with list_tables.',
  '42703': 'Find the columns of the table with list_tables.',
  '42501':
    'The database role of this login, or the service account where the hint says so, lacks the right. Do without, or ask a person.',
  '42601': 'Correct the syntax; one statement a call.',
  '57014':
    'The statement was cancelled or took longer than 30 seconds: narrow it, or change fewer rows at a time.',
  '40001': 'Another connection got in between: repeat the call.',
  '40P01': 'Another connection got in between: repeat the call.',
  '22': 'Correct the value or its type.',
  '23': 'Production would refuse this, too: the change breaks a constraint. Change the values, or the rows that it depends on, first.',
  '42': 'Correct the statement; list_tables shows tables, columns and keys.',
  '53': 'Wait a little, and repeat with less at once.',
  '54': 'Make the statement smaller.',
  '55': 'Wait until your other calls on this session have ended, then repeat the call.',
};

/** Returns the next step at a limit of the policy. */
function nextByLimit(sqlstate: string): string {
  return sqlstate === '54000'
    ? 'A rule limits how many rows may change; data has the limit and what to do. The same rows in another form are refused, too.'
    : 'A rule denies this change, and does not change by trying again. Check with session_status which rules hold, and do without, or ask a person.';
}

function ofDatabase(sqlstate: string, error: unknown): Failure {
  const fields = error as Readonly<Record<string, unknown>>;
  const shown = ['message', 'detail', 'hint', 'position', 'table', 'column', 'constraint'];
  // as stage.refuse_by_policy marks it
  const isByPolicy = fields['schema'] === 'stage' && fields['table'] === 'policy';
  const data = Object.fromEntries(
    shown
      .filter((name) => typeof fields[name] === 'string')
      .map((name) => [name, String(fields[name]).slice(0, 2000)]),
  );
  return {
    summary: `The statement failed with SQLSTATE ${sqlstate}. Nothing of it was staged, and production is unchanged.`,
    next:
      (isByPolicy ? nextByLimit(sqlstate) : undefined) ??
      nextByState[sqlstate] ??
      nextByState[sqlstate.slice(0, 2)] ??
      "Correct the statement according to PostgreSQL's error.",
    facts: { sqlstate },
    data,
  };
}
