/** Decodes and checks the messages that a server may send until its first ReadyForQuery. */
import { StageError } from '../errors.ts';
import type { Key } from '../wire/backend-decoder.ts';
import {
  decodeAuthentication,
  decodeBackendKeyData,
  decodeDataRow,
  decodeParameterStatus,
  decodeReadyForQuery,
} from '../wire/backend-decoder.ts';
import type { TransactionStatus } from '../wire/backend-messages.ts';
import { decodeErrorFields } from '../wire/error-fields.ts';
import type { Message } from '../wire/framer.ts';
import { backend } from '../wire/message-codes.ts';
import type { StartupStream } from './startup-stream.ts';
import { ConnectionEnded } from './startup-stream.ts';

/** A decoded message. `frame` is the original message, to be passed on. */
export type LoginMessage =
  | {
      readonly type: 'request';
      readonly kind: number;
      readonly data: Buffer;
      readonly frame: Buffer;
    }
  | { readonly type: 'error'; readonly sqlstate: string | undefined; readonly frame: Buffer }
  | { readonly type: 'notice'; readonly frame: Buffer }
  | {
      readonly type: 'setting';
      readonly name: string;
      readonly value: string;
      readonly frame: Buffer;
    }
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'ready'; readonly status: TransactionStatus }
  /** Parts of the response to an internal query: a row, and the messages around the rows. */
  | { readonly type: 'row'; readonly values: readonly (Buffer | null)[] }
  | { readonly type: 'result' };

/**
 * Reads the upstream's next message.
 * @throws StageError `upstream_unavailable` when the upstream breaks the protocol or closes the connection, or the signal's reason
 */
export async function readLoginMessage(upstream: StartupStream): Promise<LoginMessage> {
  try {
    return decode(await upstream.next());
  } catch (error) {
    if (error instanceof ConnectionEnded) throw broken('closed the connection', error);
    const isViolation = error instanceof StageError && error.code === 'protocol_violation';
    throw isViolation ? broken('broke the protocol', error) : error;
  }
}

/** Builds the error for an unexpected message or event. @param action completes "the upstream ... while logging in" */
export function broken(action: string, cause?: unknown): StageError {
  return new StageError('upstream_unavailable', `the upstream ${action} while logging in`, {
    hint: 'Check that the upstream URL leads to PostgreSQL itself, and read its log.',
    cause,
  });
}

function decode({ type, payload, frame }: Message): LoginMessage {
  switch (type) {
    case backend.authentication:
      return { type: 'request', ...decodeAuthentication(payload), frame };
    case backend.errorResponse:
      return { type: 'error', sqlstate: decodeErrorFields(payload).get('C'), frame };
    case backend.noticeResponse:
      decodeErrorFields(payload);
      return { type: 'notice', frame };
    case backend.parameterStatus:
      return { type: 'setting', ...decodeParameterStatus(payload), frame };
    case backend.backendKeyData:
      return { type: 'key', key: decodeBackendKeyData(payload) };
    case backend.readyForQuery:
      return { type: 'ready', status: decodeReadyForQuery(payload) };
    case backend.dataRow:
      return { type: 'row', values: decodeDataRow(payload) };
    case backend.rowDescription:
    case backend.commandComplete:
      return { type: 'result' };
    default:
      throw broken('sent something else');
  }
}
