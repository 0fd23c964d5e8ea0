/** Opens the upstream side of a connection: TCP or Unix socket, encryption as in `sslmode`, then the StartupMessage. */
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { TLSSocket } from 'node:tls';
import { StageError } from '../errors.ts';
import { backendLimits } from '../wire/limits.ts';
import { sslRequest } from '../wire/startup.ts';
import { StartupStream } from './startup-stream.ts';
import { connectTls } from './tls.ts';
import type { LoginMessage } from './upstream-messages.ts';
import { readLoginMessage } from './upstream-messages.ts';
import type { SslMode, UpstreamTarget } from './upstream-target.ts';

export interface UpstreamOpening {
  readonly stream: StartupStream;
  /** The server's first message. */
  readonly first: LoginMessage;
  readonly encrypted: boolean;
}

/** The use of encryption in one attempt. */
export type Encryption = 'never' | 'if offered' | 'always';

/** The attempts in order. The next one follows when the server's rules (pg_hba.conf) refuse the previous one, or it fails. */
const attempts: Readonly<Record<SslMode, readonly Encryption[]>> = {
  disable: ['never'],
  allow: ['never', 'always'],
  prefer: ['if offered', 'never'],
  require: ['always'],
  'verify-ca': ['always'],
  'verify-full': ['always'],
};

/** The largest message that a server sends during a login. */
const maxLoginMessageBytes = 65_536;

/**
 * Connects and sends the StartupMessage. A refusal by the server is a result (its ErrorResponse is `first`), not an error.
 * @throws StageError `upstream_unavailable`, or the signal's reason
 */
export async function openUpstream(
  target: UpstreamTarget,
  startup: Buffer,
  signal: AbortSignal,
): Promise<UpstreamOpening> {
  let refused: UpstreamOpening | null = null;
  let failure: unknown = null;
  for (const encryption of attempts[target.sslMode]) {
    try {
      const opening = await attempt(target, encryption, startup, signal);
      refused?.stream.socket.destroy();
      refused = opening;
      const unchanged = encryption === 'if offered' && !opening.encrypted;
      if (unchanged || !isRefusedByRules(opening.first)) return opening;
    } catch (error) {
      signal.throwIfAborted();
      failure ??= error;
    }
  }
  if (refused !== null) return refused;
  throw unavailable(failure);
}

/**
 * Opens a socket, and encrypts it if requested. The caller owns the socket.
 * @throws Error of the socket, or the signal's reason
 */
export async function openSocket(
  target: UpstreamTarget,
  encryption: Encryption,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({
    ...target.address,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 10_000,
  });
  const giveUp = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    await connected(socket);
    return encryption === 'never' ? socket : await encrypt(socket, target, encryption, signal);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function attempt(
  target: UpstreamTarget,
  encryption: Encryption,
  startup: Buffer,
  signal: AbortSignal,
): Promise<UpstreamOpening> {
  const socket = await openSocket(target, encryption, signal);
  const stream = new StartupStream(socket, backendLimits(maxLoginMessageBytes), signal);
  try {
    socket.write(startup);
    return {
      stream,
      first: await readLoginMessage(stream),
      encrypted: socket instanceof TLSSocket,
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    // The listener stays: `close` follows later errors, and without a listener they would end the process.
    socket.on('error', reject);
  });
}

async function encrypt(
  socket: Socket,
  target: UpstreamTarget,
  encryption: Encryption,
  signal: AbortSignal,
): Promise<Socket> {
  const stream = new StartupStream(socket, backendLimits(), signal);
  socket.write(sslRequest);
  const answer = (await stream.nextBytes()).toString('latin1');
  stream.release();
  // The response must be exactly one byte. Further bytes came before encryption and may be from an attacker on the network.
  if (answer === 'S') return connectTls(socket, target.tls);
  if (answer !== 'N') throw new Error('the server answered the SSL request with something else');
  if (encryption === 'if offered') return socket;
  throw new Error(`the server does not support SSL, but sslmode is ${target.sslMode}`);
}

function isRefusedByRules(message: LoginMessage): boolean {
  return message.type === 'error' && message.sqlstate === '28000';
}

function unavailable(cause: unknown): StageError {
  if (cause instanceof StageError) return cause;
  const reason =
    cause instanceof Error
      ? ((cause as NodeJS.ErrnoException).code ?? cause.message)
      : String(cause);
  return new StageError(
    'upstream_unavailable',
    `the upstream database cannot be reached: ${reason}`,
    {
      hint: 'Check that PostgreSQL is running and that the upstream URL is right, then connect again.',
      cause,
    },
  );
}
