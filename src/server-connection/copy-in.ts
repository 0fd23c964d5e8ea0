/**
 * Handles COPY ... FROM STDIN. Between the server's CopyInResponse and the client's CopyDone or CopyFail, the data, and nothing else,
 * streams to the upstream in pieces of any size. When the rows are staged as a set, the data is also buffered, and sent again if the rows
 * must be staged one by one.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 */
import { StageError } from '../errors.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import type { Framer, Message } from '../wire/framer.ts';
import { copyFailMessage } from '../wire/frontend-messages.ts';
import { frontend } from '../wire/message-codes.ts';
import type { CancelRequests } from './cancel-requests.ts';
import { cancelled } from './cancel-requests.ts';
import type { CopyBufferTotal } from './copy-buffer.ts';
import { CopyBuffer } from './copy-buffer.ts';
import type { Particulars } from './pending-response.ts';
import { ConnectionFault } from './refusals.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

/** After this time without data, the client may be waiting for the error of a line. Rows that are staged one by one are checked at once. */
const pauseMs = 50;

const reason = 'its rows are staged one by one';

const givenUp = 'COPY from stdin failed: ';

/** Returns whether an error is that of a COPY which the proxy aborted in order to run it again. */
export const gaveUp = (fields: ErrorFields): boolean => fields.get('M') === givenUp + reason;

/** Returns the error of a failed try that is not repeated because the client cancelled it. The client's own CopyFail takes precedence. */
export const withoutAgain = (fields: ErrorFields): ErrorFields =>
  fields.get('M')?.startsWith(givenUp) && !gaveUp(fields) ? fields : cancelled;

export class CopyIn {
  private readonly upstream: UpstreamWriter;
  private readonly total: CopyBufferTotal;
  private readonly cancels: CancelRequests;
  private readonly onBegin: () => void;
  /** Whether the client has sent a cancel request since the first try. The server reports the cancellation with the next data. */
  private isCancelled = () => false;
  private open = false;
  private wake: () => void = () => undefined;
  /** Resolves when the COPY that was sent last requests its data, or fails. */
  private begins: Promise<void> = Promise.resolve();
  /** The data so far, if it may have to be sent again. */
  private buffer: CopyBuffer | null = null;
  /** The buffered data is complete, including the message that ends it. */
  private isWhole = false;
  private pause: NodeJS.Timeout | null = null;
  /** The number of bytes that have arrived, buffered or waiting to be. */
  private arrived = 0;

  /** @param onBegin called when unbuffered data begins to flow, so that the COPY cannot be run again */
  constructor(
    upstream: UpstreamWriter,
    total: CopyBufferTotal,
    cancels: CancelRequests,
    onBegin: () => void,
  ) {
    this.upstream = upstream;
    this.total = total;
    this.cancels = cancels;
    this.onBegin = onBegin;
  }

  /** Whether the server accepts data. */
  get isOpen(): boolean {
    return this.open;
  }

  /**
   * Returns the handlers for the response to the message that runs a COPY.
   * @param mayRunAgain whether its data is to be buffered
   */
  pending(mayRunAgain: boolean): Particulars {
    if (this.buffer === null) this.isCancelled = this.cancels.track();
    this.begins = new Promise((resolve) => {
      this.wake = resolve;
    });
    return {
      onCopyIn: () => this.begin(mayRunAgain),
      onFailure: () => {
        this.close();
        this.wake();
      },
    };
  }

  /** Handles the server's CopyInResponse: sends the data of an earlier try first. Returns whether the client is to receive the response. */
  private begin(mayRunAgain: boolean): boolean {
    const isFirst = this.buffer === null;
    this.wake();
    // the server discarded the cancel request together with the earlier try
    if (!isFirst && this.isCancelled()) {
      this.giveUp();
      return false;
    }
    for (const piece of this.buffer?.pieces ?? []) this.upstream.copy(piece);
    this.open = !this.isWhole;
    if (mayRunAgain) this.buffer ??= new CopyBuffer(this.total);
    else {
      this.onBegin();
      this.forget();
    }
    if (this.buffer !== null && this.open) this.pause = setTimeout(this.onPause, pauseMs);
    return isFirst;
  }

  private close(): void {
    this.open = false;
    this.stopWaiting();
  }

  private stopWaiting(): void {
    if (this.pause !== null) clearTimeout(this.pause);
    this.pause = null;
  }

  /** Releases the buffered data: the COPY will not be run again, or the connection has ended. */
  forget(): void {
    this.stopWaiting();
    this.buffer?.release();
    this.buffer = null;
    this.isWhole = false;
  }

  /** Waits until the COPY that was sent last requests its data, or fails. */
  async begun(): Promise<void> {
    await this.begins;
  }

  /** Passes the received data on. Returns whether there was any. */
  pass(framer: Framer): boolean {
    if (this.buffer === null) {
      const data = framer.passing(frontend.copyData);
      if (data !== null) this.upstream.copy(data);
      return data !== null;
    }
    const arrived = this.buffer.bytes + framer.buffered;
    if (arrived !== this.arrived) this.pause?.refresh();
    this.arrived = arrived;
    // another try begins between two messages
    const data = framer.passing(frontend.copyData, true);
    if (data !== null) this.bufferData(this.buffer, data);
    else if (this.buffer.exceedsWith(framer.buffered)) this.giveUp();
    return data !== null;
  }

  private bufferData(buffer: CopyBuffer, data: Buffer): void {
    const isTooMuch = buffer.exceedsWith(data.length);
    buffer.add(data);
    if (isTooMuch && !this.isCancelled()) this.giveUp();
    else this.upstream.copy(data);
  }

  /** Called when no data has come for a while. The client is waiting then, unless the proxy has paused it or has unread data of it. */
  private readonly onPause = (): void => {
    const { pause, arrived } = this;
    if (this.upstream.isFull) {
      pause?.refresh();
      return;
    }
    setImmediate(() => {
      if (pause !== null && pause === this.pause && arrived === this.arrived) this.giveUp();
    });
  };

  /** Makes the COPY fail, so that it is run again in the way that needs no buffered data, unless the client has cancelled it. */
  private giveUp(): void {
    this.close();
    this.upstream.copy(copyFailMessage(reason));
    this.upstream.flush();
  }

  /**
   * Handles a message between the data or at its end. Passes on only messages that the server would discard after an error.
   * @throws ConnectionFault for a message that is invalid there, after which the server ends the connection
   */
  take({ type, frame }: Message): void {
    // The server ignores them, too: a Sync may have been sent together with the Execute.
    if (type === frontend.flush || type === frontend.sync) return;
    if (type !== frontend.copyDone && type !== frontend.copyFail) throw unexpected(type);
    this.close();
    this.buffer?.add(frame);
    this.isWhole = this.buffer !== null;
    this.upstream.copy(frame);
  }
}

function unexpected(type: number): ConnectionFault {
  const code = type.toString(16).toUpperCase().padStart(2, '0');
  const message = `unexpected message type 0x${code} during COPY from stdin`;
  return new ConnectionFault(new StageError('protocol_violation', message));
}
