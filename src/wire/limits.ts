/**
 * Defines which message types each side may send, and how long each message may be.
 * The limits are checked on the five header bytes, so a declared length never causes an allocation.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import { StageError } from '../errors.ts';
import { backend, codeName, frontend } from './message-codes.ts';

/**
 * The smallest and largest length field of each type byte. A type whose `largest` is 0 is unknown. A length includes its own four bytes.
 */
export interface Limits {
  readonly side: 'frontend' | 'backend';
  readonly smallest: Uint32Array;
  readonly largest: Uint32Array;
}

/** PostgreSQL's own limit for messages that carry no data. */
const small = 10_000;
/** The largest value of the signed length field. */
const unlimited = 0x7fffffff;

const noBody = { smallest: 4, largest: 4 };

/**
 * Returns the limits of client messages after the login. They allow no password messages.
 * @param maxMessageBytes for the types that carry text or data: Query, Parse, Bind, FunctionCall, CopyData, CopyFail
 */
export function frontendLimits(maxMessageBytes: number): Limits {
  const { password, ...running } = frontend;
  return tabulate('frontend', running, maxMessageBytes, [
    [frontend.sync, noBody],
    [frontend.flush, noBody],
    [frontend.terminate, noBody],
    [frontend.copyDone, noBody],
    [frontend.close, { smallest: 6, largest: small }],
    [frontend.describe, { smallest: 6, largest: small }],
    [frontend.execute, { smallest: 9, largest: small }],
  ]);
}

/** Returns the limits of client messages during the login. They allow only responses to authentication requests. */
export function passwordLimits(): Limits {
  return tabulate('frontend', { password: frontend.password }, 65_535, []);
}

/**
 * Returns the limits of server messages.
 * @param maxMessageBytes for messages that must be buffered whole; a scanner lets other types pass at any length
 */
export function backendLimits(maxMessageBytes: number = unlimited): Limits {
  return tabulate('backend', backend, maxMessageBytes, [
    [backend.readyForQuery, { smallest: 5, largest: 5 }],
    [backend.parseComplete, noBody],
    [backend.bindComplete, noBody],
    [backend.closeComplete, noBody],
    [backend.noData, noBody],
    [backend.portalSuspended, noBody],
    [backend.emptyQueryResponse, noBody],
    [backend.copyDone, noBody],
    [backend.errorResponse, { smallest: 5, largest: maxMessageBytes }],
    [backend.noticeResponse, { smallest: 5, largest: maxMessageBytes }],
    [backend.authentication, { smallest: 8, largest: small }],
    [backend.backendKeyData, { smallest: 12, largest: 264 }],
  ]);
}

/**
 * Checks a message header.
 * @throws StageError `protocol_violation` on an unknown type or a length outside the type's limits
 */
export function checkHeader(limits: Limits, type: number, length: number): void {
  const largest = limits.largest[type] as number;
  // guard: a message has the length of its type
  if (length <= largest && length >= (limits.smallest[type] as number)) return;
  if (largest === 0) {
    throw new StageError(
      'protocol_violation',
      `invalid ${limits.side} message type ${codeName(type)}`,
    );
  }
  const tooLong = length > largest && length <= unlimited;
  throw new StageError(
    'protocol_violation',
    tooLong
      ? `${limits.side} message ${codeName(type)} of ${length} bytes is longer than the ${largest} allowed`
      : `invalid length of ${limits.side} message ${codeName(type)}`,
  );
}

function tabulate(
  side: Limits['side'],
  codes: Readonly<Record<string, number>>,
  maxMessageBytes: number,
  exceptions: readonly (readonly [number, { smallest: number; largest: number }])[],
): Limits {
  // An unknown type has largest 0. No length satisfies that, because every length must be at least 4.
  const smallest = new Uint32Array(256).fill(4);
  const largest = new Uint32Array(256);
  for (const code of Object.values(codes)) largest[code] = Math.min(maxMessageBytes, unlimited);
  for (const [code, bounds] of exceptions) {
    smallest[code] = bounds.smallest;
    largest[code] = bounds.largest;
  }
  return { side, smallest, largest };
}
