/**
 * Keeps short answers back as long as more of them are on their way: until the ReadyForQuery that the client waits for, as the server
 * itself does, while steps of ours end the client's batch; and, of a client that has sent several batches at once, until the server
 * has nothing more to give for a turn of the event loop. What each of them costs, socket and both processes, is the writing, not the bytes.
 */
import type { PendingResponse } from './pending-response.ts';
import type { SocketWriter } from './socket-writer.ts';

/** The server keeps so much before it sends it. */
const serverBuffer = 8192;

const isOfClient = ({ asked, shown }: PendingResponse) => asked === 'sync' && shown === 'all';

export class AnswerHold {
  private readonly writer: SocketWriter;
  /** Of the client's own that are not answered. A client that has sent none may wait for what there is. */
  private syncs = 0;
  /** What is queued for the client is nothing that the server would keep: an error, a notice, the end of the last batch. */
  private isUrgent = false;
  /** The end of a batch is queued, and the next one may take its time. */
  private hasEnded = false;
  /** How many bytes were queued at the last turn of the event loop. */
  private seen = 0;
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

  /** To be called when something is queued that is to leave at once, with all that is before it. */
  end(): void {
    this.isUrgent = true;
  }

  /** To be called when a ReadyForQuery is queued. */
  endBatch(): void {
    if (this.syncs > 0) this.hasEnded = true;
    else this.isUrgent = true;
  }

  /** Hands what is queued to the socket, unless it waits for more. @param next what the server answers next */
  flush(next: PendingResponse | undefined): void {
    const mayWait = !this.isUrgent && this.syncs > 0 && this.writer.waiting <= serverBuffer;
    if (mayWait && this.hasEnded) this.turn ??= setImmediate(this.onTurn);
    else if (!mayWait || !(next?.shown === 'nothing' || next?.asked === 'sync')) this.release();
  }

  /** Whether more has come since the turn before decides whether to wait for another one. */
  private readonly onTurn = (): void => {
    const { waiting } = this.writer;
    const hasGrown = waiting > this.seen;
    this.seen = waiting;
    if (hasGrown) this.turn = setImmediate(this.onTurn);
    else this.release();
  };

  private release(): void {
    if (this.turn !== null) clearImmediate(this.turn);
    this.turn = null;
    this.seen = 0;
    this.isUrgent = false;
    this.hasEnded = false;
    this.writer.flush();
  }
}
