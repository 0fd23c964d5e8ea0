/**
 * Keeps short answers until the ReadyForQuery that the client waits for, as the server itself does: while steps of ours end the
 * client's batch, what has come before them need not go out alone.
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
  /** What is queued for the client is nothing that the server would keep: an error, a notice, the end of a batch. */
  private isUrgent = false;

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

  /** Whether what is queued waits; else it is to be sent now. @param next what the server answers next */
  holdsBefore(next: PendingResponse | undefined): boolean {
    const isOurs = next?.shown === 'nothing' || next?.asked === 'sync';
    const holds = !this.isUrgent && this.syncs > 0 && isOurs && this.writer.waiting <= serverBuffer;
    if (!holds) this.isUrgent = false;
    return holds;
  }
}
