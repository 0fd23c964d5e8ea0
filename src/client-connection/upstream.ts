/** Opens the upstream side of a connection: TCP or Unix socket, encryption as `sslmode` says, StartupMessage sent. */
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
  /** What the server said first. */
  readonly first: LoginMessage;
  readonly encrypted: boolean;
}

/** How one attempt treats encryption. */
export type Encryption = 'never' | 'if offered' | 'always';

/** Attempts in order; the next is made when the server's rules (pg_hba.conf) or the handshake refuse the one before. */
const attempts: Readonly<Record<SslMode, readonly Encryption[]>> = {
  disable: ['never'],
  allow: ['never', 'always'],
  prefer: ['if offered', 'never'],
  require: ['always'],
  'verify-ca': ['always'],
  'verify-full': ['always'],
};

/** While logging in, a server has nothing to say that is longer. */
const maxLoginMessageBytes = 65_536;

/**
 * Connects and sends the StartupMessage. A server that refuses is a result (its ErrorResponse is `first`), not an error.
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
 * Opens a socket and encrypts it where asked for. The caller owns it.
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
    // Stays on: later errors are followed by `close`, and unheard they would end the process.
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
  // Exactly one byte: anything behind it came before encryption, from whoever sits on the line.
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
