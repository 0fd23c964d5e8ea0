/**
 * COPY ... FROM STDIN: from the server's CopyInResponse to the client's CopyDone or CopyFail its data goes upstream as it
 * comes, in whatever pieces, and nothing else does.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 */
import { StageError } from '../errors.ts';
import type { Framer, Message } from '../wire/framer.ts';
import { frontend } from '../wire/message-codes.ts';
import type { PendingResponse } from './pending-response.ts';
import { ConnectionFault } from './refusals.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

export class CopyIn {
  private readonly upstream: UpstreamWriter;
  private readonly onBegin: () => void;
  private open = false;
  private wake: (() => void) | null = null;

  /** @param onBegin called when data begins to flow: it is not kept, so that the COPY cannot be run again */
  constructor(upstream: UpstreamWriter, onBegin: () => void) {
    this.upstream = upstream;
    this.onBegin = onBegin;
  }

  /** Whether the server takes data. */
  get isOpen(): boolean {
    return this.open;
  }

  /** What is expected of the answer to the message that runs a COPY. */
  pending(): Pick<PendingResponse, 'onCopyIn' | 'onFailure'> {
    return {
      onCopyIn: () => {
        this.onBegin();
        this.open = true;
        this.wake?.();
      },
      onFailure: () => {
        this.open = false;
        this.wake?.();
      },
    };
  }

  /** Waits until a COPY that was sent asks for its data, or fails. */
  async begun(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.wake = null;
  }

  /** Passes on what has arrived of the data; says whether there was any. */
  pass(framer: Framer): boolean {
    const data = framer.passing(frontend.copyData);
    if (data === null) return false;
    this.upstream.copy(data);
    return true;
  }

  /**
   * Handles a message between the data or at its end. Passes on nothing that the server would not drop after an error.
   * @throws ConnectionFault for a message that has no place there: the server ends the connection then
   */
  take({ type, frame }: Message): void {
    // As the server does: a Sync may have been sent along with the Execute.
    if (type === frontend.flush || type === frontend.sync) return;
    if (type !== frontend.copyDone && type !== frontend.copyFail) throw unexpected(type);
    this.open = false;
    this.upstream.copy(frame);
  }
}

function unexpected(type: number): ConnectionFault {
  const code = type.toString(16).toUpperCase().padStart(2, '0');
  const message = `unexpected message type 0x${code} during COPY from stdin`;
  return new ConnectionFault(new StageError('protocol_violation', message));
}
