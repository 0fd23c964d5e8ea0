/**
 * COPY ... FROM STDIN: from the server's CopyInResponse to the client's CopyDone or CopyFail its data goes upstream as it
 * comes, in whatever pieces, and nothing else does. Where its rows are staged as a set, the data is kept beside, and sent once
 * more if they have to be staged one by one.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 */
import { StageError } from '../errors.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import type { Framer, Message } from '../wire/framer.ts';
import { copyFailMessage } from '../wire/frontend-messages.ts';
import { frontend } from '../wire/message-codes.ts';
import type { CancelRequests } from './cancel-requests.ts';
import { cancelled } from './cancel-requests.ts';
import type { KeptTogether } from './kept-data.ts';
import { KeptData } from './kept-data.ts';
import type { Particulars } from './pending-response.ts';
import { ConnectionFault } from './refusals.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

/** A client that sends nothing for so long may wait for the error of a line: rows that come one by one are judged at once. */
const pauseMs = 50;

const reason = 'its rows are staged one by one';

const givenUp = 'COPY from stdin failed: ';

/** Whether an error is that of a COPY which has been given up to be run again. */
export const gaveUp = (fields: ErrorFields): boolean => fields.get('M') === givenUp + reason;

/** What is told of a try that has failed, and is not run again because the client has cancelled it: what it says itself counts. */
export const withoutAgain = (fields: ErrorFields): ErrorFields =>
  fields.get('M')?.startsWith(givenUp) && !gaveUp(fields) ? fields : cancelled;

export class CopyIn {
  private readonly upstream: UpstreamWriter;
  private readonly together: KeptTogether;
  private readonly cancels: CancelRequests;
  private readonly onBegin: () => void;
  /** Whether the client has asked to cancel since the COPY was sent first: the server says so with the data that comes next. */
  private isCancelled = () => false;
  private open = false;
  private wake: () => void = () => undefined;
  /** Resolves when the COPY that was sent last asks for its data, or fails. */
  private begins: Promise<void> = Promise.resolve();
  /** The data so far, where it may have to be sent again. */
  private kept: KeptData | null = null;
  /** What is kept is all of it, with the message that ends it. */
  private isWhole = false;
  private pause: NodeJS.Timeout | null = null;
  /** Bytes that have come, as far as they are kept or wait to be. */
  private arrived = 0;

  /** @param onBegin called when data begins to flow that is not kept, so that the COPY cannot be run again */
  constructor(
    upstream: UpstreamWriter,
    together: KeptTogether,
    cancels: CancelRequests,
    onBegin: () => void,
  ) {
    this.upstream = upstream;
    this.together = together;
    this.cancels = cancels;
    this.onBegin = onBegin;
  }

  /** Whether the server takes data. */
  get isOpen(): boolean {
    return this.open;
  }

  /**
   * What is expected of the answer to the message that runs a COPY.
   * @param mayRunAgain its data is to be kept
   */
  pending(mayRunAgain: boolean): Particulars {
    if (this.kept === null) this.isCancelled = this.cancels.watch();
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

  /** The server takes data: first what is kept of a try before. Says whether the client is to hear of it. */
  private begin(mayRunAgain: boolean): boolean {
    const isFirst = this.kept === null;
    this.wake();
    // the server has forgotten it with the try before
    if (!isFirst && this.isCancelled()) {
      this.giveUp();
      return false;
    }
    for (const piece of this.kept?.pieces ?? []) this.upstream.copy(piece);
    this.open = !this.isWhole;
    if (mayRunAgain) this.kept ??= new KeptData(this.together);
    else {
      this.onBegin();
      this.forget();
    }
    if (this.kept !== null && this.open) this.pause = setTimeout(this.onPause, pauseMs);
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

  /** Lets go what is kept: the COPY will not be run again, or the connection has ended. */
  forget(): void {
    this.stopWaiting();
    this.kept?.release();
    this.kept = null;
    this.isWhole = false;
  }

  /** Waits until the COPY that was sent last asks for its data, or fails. */
  async begun(): Promise<void> {
    await this.begins;
  }

  /** Passes on what has arrived of the data; says whether there was any. */
  pass(framer: Framer): boolean {
    if (this.kept === null) {
      const data = framer.passing(frontend.copyData);
      if (data !== null) this.upstream.copy(data);
      return data !== null;
    }
    const arrived = this.kept.bytes + framer.buffered;
    if (arrived !== this.arrived) this.pause?.refresh();
    this.arrived = arrived;
    // another try begins between two messages
    const data = framer.passing(frontend.copyData, true);
    if (data !== null) this.keep(this.kept, data);
    else if (this.kept.exceedsWith(framer.buffered)) this.runAgain();
    return data !== null;
  }

  private keep(kept: KeptData, data: Buffer): void {
    const isTooMuch = kept.exceedsWith(data.length);
    kept.add(data);
    if (isTooMuch && !this.isCancelled()) this.giveUp();
    else this.upstream.copy(data);
  }

  /** Nothing has come for a while: unless the client is not read from, or has not been yet, it waits. */
  private readonly onPause = (): void => {
    const { pause, arrived } = this;
    if (this.upstream.isFull) {
      pause?.refresh();
      return;
    }
    setImmediate(() => {
      if (pause !== null && pause === this.pause && arrived === this.arrived) this.runAgain();
    });
  };

  /** Gives the try up, unless the client has: what it has asked for, the server says with the next data. */
  private runAgain(): void {
    // guard: a cancel that the server has not come to is not given up with the try
    if (!this.isCancelled()) this.giveUp();
  }

  /** Has the COPY fail, to be run again in the way that does not need its data kept. */
  private giveUp(): void {
    this.close();
    this.upstream.copy(copyFailMessage(reason));
    this.upstream.flush();
  }

  /**
   * Handles a message between the data or at its end. Passes on nothing that the server would not drop after an error.
   * @throws ConnectionFault for a message that has no place there: the server ends the connection then
   */
  take({ type, frame }: Message): void {
    // As the server does: a Sync may have been sent along with the Execute.
    if (type === frontend.flush || type === frontend.sync) return;
    if (type !== frontend.copyDone && type !== frontend.copyFail) throw unexpected(type);
    this.close();
    this.kept?.add(frame);
    this.isWhole = this.kept !== null;
    this.upstream.copy(frame);
  }
}

function unexpected(type: number): ConnectionFault {
  const code = type.toString(16).toUpperCase().padStart(2, '0');
  const message = `unexpected message type 0x${code} during COPY from stdin`;
  return new ConnectionFault(new StageError('protocol_violation', message));
}
