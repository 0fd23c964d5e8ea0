/**
 * Cancel keys of our own: a client never sees the upstream's secret, and its key reaches no statement but its own.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Key } from '../wire/backend-decoder.ts';
import { cancelRequest } from '../wire/startup.ts';
import type { Encryption } from './upstream.ts';
import { openSocket } from './upstream.ts';
import type { UpstreamTarget } from './upstream-target.ts';

/** A key as given to a client. */
export interface IssuedKey extends Key {
  /** Forgets the key: from now on requests with it do nothing. */
  revoke(): void;
}

export interface CancelKeys {
  /**
   * Issues a key for one connection.
   * @param secretBytes 4 for protocol 3.0, more from 3.2 on
   * @param wanted the process id of the server's own key, which tells the backend; another one where that is taken
   * @param cancel asks the upstream to cancel what the connection runs
   */
  issue(secretBytes: number, wanted: number | undefined, cancel: () => Promise<void>): IssuedKey;
  /** Serves a request: resolves when the upstream has been told, at once for a key that was never issued. */
  cancel(key: Key): Promise<void>;
}

interface Holder {
  readonly secret: Buffer;
  readonly cancel: () => Promise<void>;
  /** A flood of requests for one connection becomes one request after the other upstream. */
  running: Promise<void> | null;
}

export function createCancelKeys(): CancelKeys {
  const holders = new Map<number, Holder>();
  return {
    issue: (secretBytes, wanted, cancel) => {
      const processId = unusedProcessId(holders, wanted);
      const secret = randomBytes(secretBytes);
      holders.set(processId, { secret, cancel, running: null });
      return { processId, secret, revoke: () => holders.delete(processId) };
    },
    cancel: async ({ processId, secret }) => {
      const holder = holders.get(processId);
      if (holder === undefined || !sameSecret(holder.secret, secret)) return;
      holder.running ??= holder.cancel().finally(() => {
        holder.running = null;
      });
      await holder.running;
    },
  };
}

/** How long the upstream may take to accept a cancel request. */
const cancelTimeoutMs = 10_000;

/**
 * Sends the upstream's own key on a connection of its own. The server closes it once the signal is on its way, so a client
 * that waits for us to close knows as much as one that asked the server itself.
 */
export async function cancelUpstream(
  target: UpstreamTarget,
  encrypted: boolean,
  key: Key,
): Promise<void> {
  const encryption: Encryption = encrypted ? 'always' : 'never';
  const signal = AbortSignal.timeout(cancelTimeoutMs);
  const socket = await openSocket(target, encryption, signal);
  await new Promise<void>((resolve) => {
    const giveUp = () => socket.destroy();
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('close', () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
    socket.resume();
    socket.write(cancelRequest(key));
  });
}

function unusedProcessId(holders: ReadonlyMap<number, Holder>, wanted: number | undefined): number {
  if (wanted !== undefined && !holders.has(wanted)) return wanted;
  for (;;) {
    const candidate = randomInt(1, 0x7fffffff);
    if (!holders.has(candidate)) return candidate;
  }
}

function sameSecret(expected: Buffer, given: Buffer): boolean {
  // guard: a cancel request needs the secret
  return expected.length === given.length && timingSafeEqual(expected, given);
}
