/** Dispatches a client's message to the protocol that handles it, and reports anything thrown there as an error. */
import { StageError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { ConnectionFault, isExpected, Skipped, sqlstateOf } from '../server-connection/refusals.ts';
import type { Message } from '../wire/framer.ts';
import { codeName, frontend } from '../wire/message-codes.ts';
import type { ConnectionContext } from './connection-context.ts';
import { failExtended, handleExtended } from './extended-query.ts';
import { restorePortal } from './restored-portals.ts';
import { failQuery, handleBehindBatch, handleQuery } from './simple-query.ts';

/**
 * Handles one message. Returns a promise if that takes a round trip.
 * @param bound for a Bind that is handled again although the client has its response: the statement that it was bound to
 * @throws ConnectionFault when the connection must end
 */
export function dispatch(
  context: ConnectionContext,
  message: Message,
  log: Log,
  bound: PreparedStatement | null = null,
): void | Promise<void> {
  try {
    const work = handle(context, message, bound);
    return work?.catch((error: unknown) => fail(context, message, error, log));
  } catch (error) {
    return fail(context, message, error, log);
  }
}

function handle(
  context: ConnectionContext,
  message: Message,
  bound: PreparedStatement | null,
): void | Promise<void> {
  const { type } = message;
  if (type === frontend.password) throw new ConnectionFault(unexpected(type));
  // guard: after an error everything is skipped up to Sync, as by the server
  if (context.router.hasShownError && type !== frontend.sync) return;
  if (bound !== null) return restorePortal(context, message, bound);
  switch (type) {
    case frontend.query:
      return handleBehindBatch(context, () => handleQuery(context, message));
    case frontend.functionCall:
      return handleBehindBatch(context, () => {
        throw functionCall;
      });
    case frontend.copyData:
    case frontend.copyDone:
    case frontend.copyFail:
      // The server ignores them, too: the client may not know yet that its COPY was refused.
      return;
    default:
      return handleExtended(context, message);
  }
}

const unexpected = (type: number) =>
  new StageError('protocol_violation', `unexpected message ${codeName(type)}`);

const functionCall = new StageError(
  'statement_not_supported',
  'the function call protocol is not supported in a staged session',
  { hint: 'Call the function in a SELECT.' },
);

function fail(
  context: ConnectionContext,
  message: Message,
  error: unknown,
  log: Log,
): void | Promise<void> {
  const { router, metrics, retry } = context;
  if (error instanceof ConnectionFault) throw error;
  const isQuery = message.type === frontend.query || message.type === frontend.functionCall;
  // an earlier message of the batch has failed, which is reported, or run again together with this one
  if (retry.isWanted || (router.hasShownError && !isQuery)) return;
  if (!isExpected(error)) {
    log.error('a statement could not be handled', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
  if (!(error instanceof Skipped)) metrics.refused(sqlstateOf(error));
  return isQuery ? failQuery(context, error) : failExtended(context, message, error);
}
