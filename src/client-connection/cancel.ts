/**
 * Issues the proxy's own cancel keys. A client never sees the upstream's secret, and its key cancels only its own statements.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Key } from '../wire/backend-decoder.ts';
import { cancelRequest } from '../wire/startup.ts';
import type { Encryption } from './upstream.ts';
import { openSocket } from './upstream.ts';
import type { UpstreamTarget } from './upstream-target.ts';

/** A key as the client receives it. */
export interface IssuedKey extends Key {
  /** Revokes the key: later requests with it do nothing. */
  revoke(): void;
}

export interface CancelKeys {
  /**
   * Issues a key for one connection.
   * @param secretBytes 4 for protocol 3.0, more from 3.2 on
   * @param wanted the process id of the server's own key, which identifies the backend; when it is taken, the key gets another one
   * @param cancel requests the upstream to cancel the statement that the connection runs
   */
  issue(secretBytes: number, wanted: number | undefined, cancel: () => Promise<void>): IssuedKey;
  /** Handles a cancel request. Resolves when the upstream has got it, or at once when the key was never issued. */
  cancel(key: Key): Promise<void>;
}

interface Holder {
  readonly secret: Buffer;
  readonly cancel: () => Promise<void>;
  /** The request that runs, if there is one. */
  running: Promise<void>;
  /** The request that follows it. All that arrive meanwhile join this one, so that a flood reaches the upstream one at a time. */
  next: Promise<void> | null;
}

export function createCancelKeys(): CancelKeys {
  const holders = new Map<number, Holder>();
  return {
    issue: (secretBytes, wanted, cancel) => {
      const processId = unusedProcessId(holders, wanted);
      const secret = randomBytes(secretBytes);
      holders.set(processId, { secret, cancel, running: Promise.resolve(), next: null });
      return { processId, secret, revoke: () => holders.delete(processId) };
    },
    cancel: async ({ processId, secret }) => {
      const holder = holders.get(processId);
      if (holder === undefined || !sameSecret(holder.secret, secret)) return;
      holder.next ??= following(holder);
      await holder.next;
    },
  };
}

/** Requests a cancel after the request that runs: its signal may have met an earlier statement. */
function following(holder: Holder): Promise<void> {
  return holder.running.then(() => {
    holder.next = null;
    const cancelled = holder.cancel();
    holder.running = cancelled.catch(() => undefined);
    return cancelled;
  });
}

/** The time that the upstream has to accept a cancel request. */
const cancelTimeoutMs = 10_000;

/**
 * Sends the upstream's own cancel key on a separate connection. Resolves when the server has closed that connection, which it does
 * once the signal is on its way. So a client that waits for the proxy to close learns as much as from the server itself.
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
