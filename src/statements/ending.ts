/** Ends a connection: reports the reason to the client if possible, and closes the upstream, which rolls back. */
import type { Socket } from 'node:net';
import { StageError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ConnectedPair } from '../server-connection/connected-pair.ts';
import { ConnectionFault } from '../server-connection/refusals.ts';
import type { ResponseRouter } from '../server-connection/response-router.ts';
import { wireError } from '../server-connection/wire-error.ts';
import { errorResponse } from '../wire/backend-messages.ts';
import { terminateMessage } from '../wire/frontend-messages.ts';

/** The time that a client has to read the last message before its socket is destroyed. */
const farewellMs = 10_000;

/**
 * Ends both sides.
 * @param error the error for the client; null when a side has simply ended
 */
export function endSession(
  { client, upstream, processId, cancel }: ConnectedPair,
  router: ResponseRouter,
  error: unknown,
  log: Log,
): void {
  const isUpstreamGone = upstream.destroyed || upstream.readableEnded;
  letGo(upstream);
  // nobody waits for the response, and the server would only notice when it sends it
  if (!isUpstreamGone && router.awaited > 0) {
    cancel().catch((failure: Error) => {
      log.debug('a statement was left running', { process_id: processId, error: failure.message });
    });
  }
  const reason = error instanceof ConnectionFault ? error.cause : error;
  if (reason !== null) logEnd(reason, processId, log);
  // No message can be sent inside another one, and none is needed after the upstream's own last message.
  if (!router.atBoundary) client.destroy();
  else if (reason !== null) sendLastMessage(client, errorResponse(wireError('FATAL', reason)));
  else if (isUpstreamGone && !router.hasLastWords) sendLastMessage(client, upstreamLost);
  else sendLastMessage(client, null);
}

/** Resolves when a socket is closed, by an error or not. */
export async function untilClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

const upstreamLost = errorResponse(
  wireError(
    'FATAL',
    new StageError('upstream_unavailable', 'terminating connection: the upstream has closed it', {
      sqlstate: '57P01',
      hint: 'What was not committed is rolled back. Connect again.',
    }),
  ),
);

function letGo(upstream: Socket): void {
  if (upstream.destroyed) return;
  if (upstream.writableLength > 0) {
    upstream.destroy();
    return;
  }
  upstream.end(terminateMessage);
  upstream.destroySoon();
}

/** Reads on while closing: unread bytes would turn the close into a reset, and the client would lose the message. */
function sendLastMessage(client: Socket, message: Buffer | null): void {
  if (client.destroyed) return;
  if (message === null) client.end();
  else client.end(message);
  client.resume();
  const timer = setTimeout(() => client.destroy(), farewellMs);
  client.once('close', () => clearTimeout(timer));
}

function logEnd(error: unknown, processId: number, log: Log): void {
  if (error instanceof StageError) {
    log.info('connection ended', {
      process_id: processId,
      code: error.code,
      sqlstate: error.sqlstate,
    });
  } else log.error('connection failed', { process_id: processId, error: String(error) });
}
