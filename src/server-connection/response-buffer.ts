/**
 * Buffers short responses to the client while more of them are about to follow, because each write costs more than its bytes, in the socket
 * and in both processes. While internal steps end the client's batch, responses wait for the ReadyForQuery that the client waits for, as in
 * the server itself. When the client has sent several batches at once, they wait until the server sends nothing for a turn of the event
 * loop.
 */
import type { PendingResponse } from './pending-response.ts';
import type { SocketWriter } from './socket-writer.ts';

/** The server buffers this many bytes before it sends them. */
const serverBuffer = 8192;

const isOfClient = ({ request, shown }: PendingResponse) => request === 'sync' && shown === 'all';

export class ResponseBuffer {
  private readonly writer: SocketWriter;
  /** The number of the client's own Syncs without a response. While there are none, the client may wait for the available responses. */
  private syncs = 0;
  /** The queue contains a message that the server would not buffer: an error, a notice, or the end of the last batch. */
  private isUrgent = false;
  /** The end of a batch is queued, and the responses to the next one may take longer. */
  private hasEnded = false;
  /** The number of queued bytes at the last turn of the event loop. */
  private lastSize = 0;
  private turn: NodeJS.Immediate | null = null;

  constructor(writer: SocketWriter) {
    this.writer = writer;
  }

  expect(pending: PendingResponse): void {
    if (isOfClient(pending)) this.syncs += 1;
  }

  ready(pending: PendingResponse): void {
    if (isOfClient(pending)) this.syncs -= 1;
  }

  /** Marks the queue as urgent: the message just queued leaves at once, with everything before it. */
  end(): void {
    this.isUrgent = true;
  }

  /** Notes that a ReadyForQuery is queued. */
  endBatch(): void {
    if (this.syncs > 0) this.hasEnded = true;
    else this.isUrgent = true;
  }

  /** Writes the queue to the socket, unless it is better to wait for more. @param next the server's next expected response */
  flush(next: PendingResponse | undefined): void {
    const mayWait = !this.isUrgent && this.syncs > 0 && this.writer.waiting <= serverBuffer;
    if (mayWait && this.hasEnded) this.turn ??= setImmediate(this.onTurn);
    else if (!mayWait || !(next?.shown === 'nothing' || next?.request === 'sync')) this.release();
  }

  /** Waits for another turn of the event loop if the queue has grown since the last one. */
  private readonly onTurn = (): void => {
    const { waiting } = this.writer;
    const hasGrown = waiting > this.lastSize;
    this.lastSize = waiting;
    if (hasGrown) this.turn = setImmediate(this.onTurn);
    else this.release();
  };

  private release(): void {
    if (this.turn !== null) clearImmediate(this.turn);
    this.turn = null;
    this.lastSize = 0;
    this.isUrgent = false;
    this.hasEnded = false;
    this.writer.flush();
  }
}
