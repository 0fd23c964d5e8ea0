/** Counts, as a driver does, the responses that a client still waits for, from the messages it has sent and received. */
import type { Message } from '../../src/wire/framer.ts';
import { Framer } from '../../src/wire/framer.ts';
import { frontendLimits } from '../../src/wire/limits.ts';
import { backend, frontend } from '../../src/wire/message-codes.ts';

interface Sent {
  readonly type: number;
  /** Whether the server sends its response without any further message. */
  isDue: boolean;
}

/** The messages that end a response. Responses to Query and Sync end with ReadyForQuery. */
const completing = new Set<number>([
  backend.parseComplete,
  backend.bindComplete,
  backend.closeComplete,
  backend.rowDescription,
  backend.noData,
  backend.commandComplete,
  backend.emptyQueryResponse,
  backend.portalSuspended,
]);
const byReady = new Set<number>([frontend.query, frontend.functionCall, frontend.sync]);
const flushing = new Set<number>([...byReady, frontend.flush]);
const endsCopy = new Set<number>([frontend.copyDone, frontend.copyFail]);

export class AwaitedAnswers {
  private readonly framer = new Framer(frontendLimits(1e9));
  private queue: Sent[] = [];
  /** Whether the server is receiving COPY data. It ignores all other messages until their end. */
  private isCopying = false;
  /** Whether an error has occurred. The server ignores all messages until Sync. */
  private isSkipping = false;

  /** Whether the client has all responses it waits for. */
  get areThere(): boolean {
    return this.isCopying || !this.queue.some(({ isDue }) => isDue);
  }

  /** Records sent bytes, in any chunks. */
  sent(bytes: Buffer): void {
    this.framer.push(bytes);
    for (let message = this.framer.next(); message; message = this.framer.next())
      this.expect(message.type);
  }

  private expect(type: number): void {
    if (this.isCopying) {
      this.isCopying = !endsCopy.has(type);
      return;
    }
    if (this.isSkipping && type !== frontend.sync) return;
    this.isSkipping = false;
    // The end of a COPY that has failed already gets no response.
    const isLate = endsCopy.has(type) && this.queue.length === 0;
    if (type !== frontend.copyData && type !== frontend.flush && !isLate)
      this.queue.push({ type, isDue: false });
    if (flushing.has(type)) for (const each of this.queue) each.isDue = true;
  }

  /** Records a received message. */
  received({ type }: Message): void {
    if (type === backend.copyInResponse) this.beginCopy();
    else if (type === backend.errorResponse) this.fail();
    else if (type === backend.readyForQuery) this.queue.shift();
    else if (completing.has(type) && !byReady.has(this.head?.type ?? 0)) this.queue.shift();
    // Outside of a COPY these messages get no response.
    while (this.head !== undefined && endsCopy.has(this.head.type)) this.queue.shift();
  }

  private get head(): Sent | undefined {
    return this.queue[0];
  }

  private beginCopy(): void {
    const end = this.queue.findIndex(({ type }) => endsCopy.has(type));
    this.isCopying = end < 0;
    this.queue.splice(1, end < 0 ? this.queue.length : end);
  }

  private fail(): void {
    this.isCopying = false;
    if (byReady.has(this.head?.type ?? 0)) return;
    const next = this.queue.findIndex(({ type }) => type === frontend.sync);
    this.isSkipping = next < 0;
    this.queue.splice(0, next < 0 ? this.queue.length : next);
  }
}
