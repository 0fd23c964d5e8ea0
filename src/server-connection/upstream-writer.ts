/**
 * The only writer to the upstream's socket after the login. It sends messages, each with its expected response, and signals when all
 * responses have arrived.
 */
import {
  flushMessage,
  parseMessage,
  queryMessage,
  syncMessage,
} from '../wire/frontend-messages.ts';
import { frontend } from '../wire/message-codes.ts';
import { FreshBlock } from './fresh-block.ts';
import type { PendingResponse } from './pending-response.ts';
import { hiddenSync } from './pending-response.ts';
import type { ResponseRouter } from './response-router.ts';
import type { SocketWriter } from './socket-writer.ts';
import type { TransactionState } from './transaction-state.ts';
import type { UpstreamText } from './upstream-text.ts';

/** The content of a Parse message. */
export interface Prepared {
  readonly name: string;
  readonly text: UpstreamText;
  readonly types: readonly number[];
}

export class UpstreamWriter {
  private readonly writer: SocketWriter;
  private readonly router: ResponseRouter;
  private readonly state: TransactionState;
  /** Follows the messages that are sent. */
  readonly fresh = new FreshBlock();
  private hasOpenBatch = false;
  /** Something was sent since the server last reported its settings. It may have changed how the next text is read. */
  private isUnsettled = false;
  private pinSettings: () => void = () => undefined;
  private wake: (() => void) | null = null;

  constructor(writer: SocketWriter, router: ResponseRouter, state: TransactionState) {
    this.writer = writer;
    this.router = router;
    this.state = state;
  }

  /** Whether messages of the extended protocol were sent without a Sync after them. */
  get isOpen(): boolean {
    return this.hasOpenBatch;
  }

  /**
   * Sets the function that sets the settings for reading texts.
   * @param pin sends the statement that sets them; its own text does not depend on them
   */
  pinBy(pin: () => void): void {
    this.pinSettings = pin;
  }

  /** Sends a Parse message. */
  parse({ name, text, types }: Prepared, pending: PendingResponse): void {
    this.prepareFor(text);
    this.put(text.frame ?? parseMessage({ name, text: text.bytes, types }), pending);
  }

  /** Sends any other message of the extended protocol, which contains no SQL. */
  send(frame: Buffer, pending: PendingResponse): void {
    // guard: no text is sent that was not checked
    if (frame[0] === frontend.parse || frame[0] === frontend.query)
      throw new Error('a text was about to be sent without being checked');
    this.put(frame, pending);
  }

  private put(frame: Buffer, pending: PendingResponse): void {
    this.router.expect(pending);
    this.fresh.note(pending);
    this.writer.add(frame);
    this.hasOpenBatch = true;
    this.isUnsettled = true;
    this.state.touch();
  }

  /** Sends a Query, after an internal Sync if messages of the extended protocol preceded it. */
  query(text: UpstreamText, pending: PendingResponse): void {
    this.prepareFor(text);
    this.close();
    this.router.expect(pending);
    this.fresh.note(pending);
    this.writer.add(text.frame ?? queryMessage(text.bytes));
    this.isUnsettled = true;
  }

  /**
   * Pins the settings that determine how the text is read, if something may have changed them that the server has not reported yet.
   * @throws Error for a read where writing is possible
   */
  private prepareFor({ kind, bytes }: UpstreamText): void {
    // guard: no read is sent where writing is possible
    if (kind === 'read' && this.state.exposesReads)
      throw new Error('a read was about to run where writing is possible');
    // guard: settings that a text depends on are set before it where code may have changed them
    if (this.isUnsettled && !this.state.failed && dependsOnSettings(bytes)) this.pinSettings();
  }

  /** Whether more data is pending than the server accepts. */
  get isFull(): boolean {
    return this.writer.isFull;
  }

  /** Sends COPY data, or the message that ends it. */
  copy(frame: Buffer): void {
    this.writer.add(frame);
  }

  /** Sends a Sync. @param frame the client's own Sync, if there is one; it leaves together with the messages before it */
  sync(pending: PendingResponse, frame: Buffer = syncMessage): void {
    this.router.expect(pending);
    this.writer.add(frame);
    this.hasOpenBatch = false;
  }

  /** Sends an internal Sync if messages of the extended protocol were sent since the last one. */
  close(): void {
    if (this.isOpen) this.sync(hiddenSync);
  }

  /** Passes on the client's request for the responses so far. */
  requestFlush(): void {
    this.writer.add(flushMessage);
  }

  /** Writes the queued messages to the socket. */
  flush(): void {
    this.writer.flush();
  }

  /** Waits until all responses have arrived. The messages sent must end with a Sync or a Query. */
  async idle(): Promise<void> {
    this.flush();
    if (this.router.isIdle) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  /** Checks for completed responses, after each chunk received. Returns whether it has resumed a waiting caller. */
  received(): boolean {
    if (!this.router.isIdle) return false;
    // PostgreSQL reports changed settings before ReadyForQuery, and `SettingsMonitor` restores them or ends the connection.
    this.isUnsettled = false;
    if (this.wake === null) return false;
    const { wake } = this;
    this.wake = null;
    wake();
    return true;
  }
}

/** Returns whether standard_conforming_strings or client_encoding affect how a text is read. In other texts they have no effect. */
function dependsOnSettings(text: Buffer): boolean {
  return /[\\\x80-\xff]/.test(text.toString('latin1'));
}
