/** Buffers the messages of the extended protocol that another try has to handle again. */
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import type { Message } from '../wire/framer.ts';
import { decodeBind, decodeNamed } from '../wire/frontend-messages.ts';
import { frontend } from '../wire/message-codes.ts';

/** The limit on the bytes of messages that are buffered for another try. */
const maxBytes = 4 * 1024 * 1024;

export interface BufferedMessage {
  readonly message: Message;
  /** The statement of a Bind; null if it is unknown. */
  statement: PreparedStatement | null;
  /** The client has received its response. */
  hasResponse: boolean;
  /** It runs a statement. */
  isExecute: boolean;
  /** A savepoint was set before it. */
  readonly isProtected: boolean;
}

export class RetryBuffer {
  private entries: BufferedMessage[] = [];
  private bytes = 0;

  get last(): BufferedMessage | undefined {
    return this.entries.at(-1);
  }

  /** Whether a savepoint was set before one of the messages. */
  get isProtected(): boolean {
    return this.entries.some(({ isProtected }) => isProtected);
  }

  get hasExecute(): boolean {
    return this.entries.some(({ isExecute }) => isExecute);
  }

  /** Returns whether it contains a message, if one is given. */
  has(message: Message | undefined): boolean {
    return message === undefined || this.entries.some((entry) => entry.message === message);
  }

  /** Returns whether a message fits beside the others. */
  fits({ frame }: Message): boolean {
    return this.bytes + frame.length <= maxBytes;
  }

  /** Appends a message, or replaces the last entry if that is of the same message. Returns false if there is no room for it. */
  push(message: Message, isProtected: boolean): boolean {
    if (this.last?.message === message) this.entries.pop();
    else if (this.fits(message)) this.bytes += message.frame.length;
    else return false;
    const state = { statement: null, hasResponse: false, isExecute: false };
    this.entries.push({ message, ...state, isProtected });
    return true;
  }

  clear(): void {
    if (this.entries.length > 0) this.entries = [];
    this.bytes = 0;
  }

  reset(entries: readonly BufferedMessage[]): void {
    this.entries = [...entries];
    this.bytes = entries.reduce((sum, { message }) => sum + message.frame.length, 0);
  }

  /** Returns the messages behind the last statement whose result the client has received. */
  behindExecuted(): readonly BufferedMessage[] {
    const executed = this.entries.findLastIndex((entry) => entry.isExecute && entry.hasResponse);
    return this.entries.slice(executed + 1);
  }

  /** Discards the messages with a response before the next savepoint. Returns whether that comes next. */
  reachesSavepoint(): boolean {
    while (this.entries[0]?.hasResponse && !this.entries[0].isProtected) this.entries.shift();
    return this.entries[0]?.isProtected === true;
  }

  /** Returns the messages and empties the buffer. */
  take(): readonly BufferedMessage[] {
    const { entries } = this;
    this.entries = [];
    this.bytes = 0;
    return entries;
  }
}

/**
 * Returns the messages to handle again: those without a response, and each Bind whose portal the client still has. A rollback destroys
 * portals, but neither prepared statements nor what the client knows about them.
 */
export function needed(entries: readonly BufferedMessage[]): readonly BufferedMessage[] {
  return entries.filter(({ message, hasResponse }, at) => {
    if (!hasResponse || message.type !== frontend.bind) return !hasResponse;
    const { portal } = decodeBind(message.payload);
    // guard: a portal that the client has closed or bound again is not restored
    if (entries.slice(at + 1).some((later) => replaces(later, portal))) return false;
    return true;
  });
}

/** Returns whether the client knows that a message has closed a portal or bound it again. */
function replaces({ message, hasResponse }: BufferedMessage, portal: string): boolean {
  if (!hasResponse) return false;
  const { type, payload } = message;
  if (type === frontend.bind) return decodeBind(payload).portal === portal;
  if (type !== frontend.close) return false;
  const { kind, name } = decodeNamed(payload);
  return kind === 'portal' && name === portal;
}
