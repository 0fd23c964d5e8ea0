/**
 * The one place that writes to the upstream's socket once a client has logged in. Sends messages, each with what is expected
 * of its answer, and tells when everything has been answered.
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

/** What a Parse message carries. */
export interface Prepared {
  readonly name: string;
  readonly text: UpstreamText;
  readonly types: readonly number[];
}

export class UpstreamWriter {
  private readonly writer: SocketWriter;
  private readonly router: ResponseRouter;
  private readonly state: TransactionState;
  /** Follows what is sent. */
  readonly fresh = new FreshBlock();
  private hasOpenBatch = false;
  /** Something was sent since the server last said which settings hold: it may have changed how the next text is read. */
  private isUnsettled = false;
  private pinSettings: () => void = () => undefined;
  private wake: (() => void) | null = null;

  constructor(writer: SocketWriter, router: ResponseRouter, state: TransactionState) {
    this.writer = writer;
    this.router = router;
    this.state = state;
  }

  /** Whether messages of the extended protocol were sent and no Sync after them. */
  get isOpen(): boolean {
    return this.hasOpenBatch;
  }

  /** @param pin sends what sets the settings that texts are read by, in a text that does not depend on them */
  pinBy(pin: () => void): void {
    this.pinSettings = pin;
  }

  /** Sends a Parse message. */
  parse({ name, text, types }: Prepared, pending: PendingResponse): void {
    this.prepareFor(text);
    this.put(text.frame ?? parseMessage({ name, text: text.bytes, types }), pending);
  }

  /** Sends any other message of the extended protocol: it names what it runs, and brings no SQL. */
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

  /** Sends a Query, after a Sync of ours if messages of the extended protocol came before it. */
  query(text: UpstreamText, pending: PendingResponse): void {
    this.prepareFor(text);
    this.close();
    this.router.expect(pending);
    this.fresh.note(pending);
    this.writer.add(text.frame ?? queryMessage(text.bytes));
    this.isUnsettled = true;
  }

  /**
   * What the server reads a text by is set before it, where something may have changed it that the server has not told yet.
   * @throws Error for a read where writing is possible
   */
  private prepareFor({ kind, bytes }: UpstreamText): void {
    // guard: no read is sent where writing is possible
    if (kind === 'read' && this.state.exposesReads)
      throw new Error('a read was about to run where writing is possible');
    // guard: what a text is read by is set before it, where code may have changed it
    if (this.isUnsettled && !this.state.failed && dependsOnSettings(bytes)) this.pinSettings();
  }

  /** Whether more is waiting to be sent than the server takes. */
  get isFull(): boolean {
    return this.writer.isFull;
  }

  /** Sends data of a COPY, or what ends it. */
  copy(frame: Buffer): void {
    this.writer.add(frame);
  }

  /** @param frame the client's own, where there is one: it leaves together with what came before it */
  sync(pending: PendingResponse, frame: Buffer = syncMessage): void {
    this.router.expect(pending);
    this.writer.add(frame);
    this.hasOpenBatch = false;
  }

  /** Sends a Sync of ours if messages of the extended protocol have been sent since the last one. */
  close(): void {
    if (this.isOpen) this.sync(hiddenSync);
  }

  /** Passes on the client's wish to see the answers so far. */
  requestFlush(): void {
    this.writer.add(flushMessage);
  }

  /** Hands what was sent to the socket. */
  flush(): void {
    this.writer.flush();
  }

  /** Waits until everything sent has been answered. What was sent must end with a Sync or a Query. */
  async idle(): Promise<void> {
    this.flush();
    if (this.router.isIdle) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  /** To be called after each chunk received; says whether somebody waiting has been woken. */
  received(): boolean {
    if (!this.router.isIdle) return false;
    // PostgreSQL reports changed settings before it is ready for more, and `SettingsWatch` mends or ends it.
    this.isUnsettled = false;
    if (this.wake === null) return false;
    const { wake } = this;
    this.wake = null;
    wake();
    return true;
  }
}

/** Whether standard_conforming_strings or client_encoding decide how a text is read: in others they change nothing. */
function dependsOnSettings(text: Buffer): boolean {
  return /[\\\x80-\xff]/.test(text.toString('latin1'));
}
