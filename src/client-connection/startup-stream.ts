/** Reads a socket message by message during the start-up of a connection. */
import type { Socket } from 'node:net';
import { StageError } from '../errors.ts';
import type { Message } from '../wire/framer.ts';
import { Framer } from '../wire/framer.ts';
import type { Limits } from '../wire/limits.ts';

/** The peer closed the connection, or the connection failed. Nobody is left to receive an error. */
export class ConnectionEnded extends Error {}

/** More than any login needs. A peer that sends more is disconnected. */
const maxTotalBytes = 1_048_576;

/**
 * A message stream over a socket. It reads only while a caller waits for a message, so TCP flow control stops a peer that sends ahead.
 * A wait may reject with ConnectionEnded, with the framer's `protocol_violation`, or with the signal's reason.
 */
export class StartupStream {
  readonly socket: Socket;
  private readonly framer: Framer;
  private readonly signal: AbortSignal;
  private received = 0;
  private failure: unknown = null;
  private wake: (() => void) | null = null;

  constructor(socket: Socket, limits: Limits, signal: AbortSignal) {
    this.socket = socket;
    this.framer = new Framer(limits);
    this.signal = signal;
    socket.pause();
    socket.on('data', this.onData);
    socket.on('end', this.onEnd);
    socket.on('close', this.onEnd);
    socket.on('error', this.onError);
    signal.addEventListener('abort', this.onAbort);
    if (signal.aborted) this.onAbort();
    if (socket.destroyed || socket.readableEnded) this.onEnd();
  }

  /** Reads the next message. */
  next(): Promise<Message> {
    return this.wait(() => this.framer.next());
  }

  /** Reads the next packet without a type byte. */
  nextStartup(): Promise<Buffer> {
    return this.wait(() => this.framer.nextStartup());
  }

  /** Reads the next bytes as they arrive, without framing. */
  nextBytes(): Promise<Buffer> {
    return this.wait(() => (this.framer.buffered === 0 ? null : this.framer.drain()));
  }

  /** Reads the next byte without consuming it. */
  peekByte(): Promise<number> {
    return this.wait(() => this.framer.peekByte());
  }

  /** The number of bytes that were read ahead. */
  get buffered(): number {
    return this.framer.buffered;
  }

  /** Detaches from the socket, which is left paused, and returns the bytes that were read ahead. */
  release(): Buffer {
    this.socket.pause();
    this.socket.off('data', this.onData);
    this.socket.off('end', this.onEnd);
    this.socket.off('close', this.onEnd);
    this.socket.off('error', this.onError);
    this.signal.removeEventListener('abort', this.onAbort);
    return this.framer.drain();
  }

  private async wait<T>(take: () => T | null): Promise<T> {
    for (;;) {
      const taken = this.received > maxTotalBytes ? null : take();
      if (taken !== null) return taken;
      if (this.failure !== null) throw this.failure;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        this.socket.resume();
      });
    }
  }

  private readonly onData = (chunk: Buffer): void => {
    this.socket.pause();
    this.framer.push(chunk);
    this.received += chunk.length;
    // guard: a login sends only so much
    if (this.received > maxTotalBytes) {
      this.fail(
        new StageError('protocol_violation', 'too much data before the login was complete'),
      );
    }
    this.wake?.();
  };

  private readonly onEnd = (): void =>
    this.fail(new ConnectionEnded('the peer closed the connection'));
  private readonly onError = (error: Error): void =>
    this.fail(new ConnectionEnded(error.message, { cause: error }));
  private readonly onAbort = (): void => this.fail(this.signal.reason);

  private fail(failure: unknown): void {
    this.failure ??= failure;
    this.wake?.();
  }
}
