/** From a client's message to the protocol that handles it, and from anything thrown there to the client's error. */
import { StageError } from '../errors.ts';
import type { Log } from '../log.ts';
import { ConnectionFault, isExpected, sqlstateOf } from '../server-connection/refusals.ts';
import type { Message } from '../wire/framer.ts';
import { codeName, frontend } from '../wire/message-codes.ts';
import type { ConnectionContext } from './connection-context.ts';
import { failExtended, handleExtended } from './extended-query.ts';
import { failQuery, handleQuery } from './simple-query.ts';

/**
 * Handles one message; what takes a round trip gives a promise.
 * @throws ConnectionFault when the connection has to end
 */
export function dispatch(
  context: ConnectionContext,
  message: Message,
  log: Log,
): void | Promise<void> {
  try {
    const work = handle(context, message);
    return work?.catch((error: unknown) => fail(context, message, error, log));
  } catch (error) {
    return fail(context, message, error, log);
  }
}

function handle(context: ConnectionContext, message: Message): void | Promise<void> {
  switch (message.type) {
    case frontend.query:
      return context.router.hasShownError ? undefined : handleQuery(context, message);
    case frontend.functionCall:
      if (context.router.hasShownError) return;
      throw functionCall;
    case frontend.copyData:
    case frontend.copyDone:
    case frontend.copyFail:
      // As the server does: the client may not have seen yet that its COPY was refused.
      return;
    case frontend.password:
      throw new ConnectionFault(
        new StageError('protocol_violation', `unexpected message ${codeName(message.type)}`),
      );
    default:
      return handleExtended(context, message);
  }
}

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
  // what came before it in the batch has failed, and is told of or run again together with it
  if (router.hasShownError || retry.isWanted) return;
  if (!isExpected(error)) {
    log.error('a statement could not be handled', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
  metrics.refused(sqlstateOf(error));
  const isQuery = message.type === frontend.query || message.type === frontend.functionCall;
  return isQuery ? failQuery(context, error) : failExtended(context, message, error);
}
