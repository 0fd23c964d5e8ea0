/** The one error class whose errors reach users, and the table of error codes with HTTP status, SQLSTATE and exit code. */
import type { JsonObject } from './model/json.ts';

interface Faces {
  /** HTTP status of the REST response. */
  readonly status: number;
  /** SQLSTATE of the ErrorResponse on the wire. */
  readonly sqlstate: string;
  /** Exit code of the command line. */
  readonly exit: number;
}

const faces = {
  invalid_request: { status: 400, sqlstate: '22023', exit: 1 },
  unauthorized: { status: 401, sqlstate: '28000', exit: 4 },
  forbidden: { status: 403, sqlstate: '42501', exit: 4 },
  not_found: { status: 404, sqlstate: '42704', exit: 5 },
  session_not_found: { status: 404, sqlstate: '08004', exit: 5 },
  audit_entry_not_found: { status: 404, sqlstate: '42704', exit: 5 },
  method_not_allowed: { status: 405, sqlstate: '0A000', exit: 1 },
  invalid_transition: { status: 409, sqlstate: '25006', exit: 6 },
  conflict_detected: { status: 409, sqlstate: '40001', exit: 3 },
  not_revertible: { status: 409, sqlstate: '55000', exit: 3 },
  no_such_change: { status: 409, sqlstate: '02000', exit: 5 },
  no_such_conflict: { status: 409, sqlstate: '02000', exit: 5 },
  not_resolvable: { status: 409, sqlstate: '55000', exit: 3 },
  has_dependents: { status: 409, sqlstate: '2BP01', exit: 3 },
  not_splittable: { status: 409, sqlstate: '55000', exit: 3 },
  not_unstageable: { status: 409, sqlstate: '55000', exit: 3 },
  apply_failed: { status: 409, sqlstate: '40000', exit: 3 },
  trigger_differences: { status: 409, sqlstate: '40000', exit: 3 },
  staged_after_proposal: { status: 409, sqlstate: '55000', exit: 3 },
  four_eyes_required: { status: 403, sqlstate: '42501', exit: 4 },
  approver_required: { status: 403, sqlstate: '42501', exit: 4 },
  policy_refused: { status: 409, sqlstate: '42501', exit: 6 },
  proposal_expired: { status: 409, sqlstate: '55000', exit: 6 },
  outside_window: { status: 409, sqlstate: '55000', exit: 6 },
  policy_changed: { status: 412, sqlstate: '40001', exit: 6 },
  idempotency_conflict: { status: 409, sqlstate: '23505', exit: 6 },
  session_busy: { status: 409, sqlstate: '55006', exit: 6 },
  digest_mismatch: { status: 412, sqlstate: '40001', exit: 3 },
  payload_too_large: { status: 413, sqlstate: '54000', exit: 1 },
  unsupported_media_type: { status: 415, sqlstate: '22023', exit: 1 },
  busy: { status: 503, sqlstate: '55P03', exit: 6 },
  took_too_long: { status: 504, sqlstate: '57014', exit: 1 },
  upstream_unavailable: { status: 503, sqlstate: '08006', exit: 7 },
  service_outdated: { status: 503, sqlstate: '25006', exit: 7 },
  too_many_connections: { status: 503, sqlstate: '53300', exit: 7 },
  server_unavailable: { status: 503, sqlstate: '08006', exit: 7 },
  still_pending: { status: 408, sqlstate: '57014', exit: 8 },
  statement_not_supported: { status: 400, sqlstate: '0A000', exit: 1 },
  session_read_only: { status: 409, sqlstate: '25006', exit: 6 },
  protocol_violation: { status: 400, sqlstate: '08P01', exit: 1 },
  configuration_untrusted: { status: 500, sqlstate: 'F0000', exit: 64 },
  configuration_invalid: { status: 500, sqlstate: 'F0000', exit: 64 },
  usage: { status: 400, sqlstate: '22023', exit: 64 },
  schema_too_new: { status: 500, sqlstate: '55000', exit: 1 },
  internal: { status: 500, sqlstate: 'XX000', exit: 1 },
} as const satisfies Record<string, Faces>;

export type ErrorCode = keyof typeof faces;

interface ErrorOptions {
  /** One sentence: what the user can do next. */
  readonly hint?: string;
  readonly detail?: string;
  /** Position in the client's text, in characters from 1. */
  readonly position?: number | undefined;
  /** Replaces the SQLSTATE of the table where PostgreSQL has a more exact one. */
  readonly sqlstate?: string;
  /** Extra members of the REST error body. */
  readonly facts?: JsonObject;
  readonly cause?: unknown;
}

/** An error for the user. The message states what failed, the hint what to do next. */
export class StageError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly detail: string | undefined;
  readonly position: number | undefined;
  readonly facts: JsonObject;
  readonly status: number;
  readonly sqlstate: string;
  readonly exit: number;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StageError';
    this.code = code;
    this.hint = options.hint;
    this.detail = options.detail;
    this.position = options.position;
    this.facts = options.facts ?? {};
    this.status = faces[code].status;
    this.sqlstate = options.sqlstate ?? faces[code].sqlstate;
    this.exit = faces[code].exit;
  }
}

/** Checks whether a text, such as the code of a REST error, is one of the stable error codes. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(faces, text);
}
