/** Running a write once more, unseen by the client, when what it was prepared for turns out to have changed. */
import type { ErrorFields } from '../wire/error-fields.ts';
import type { Message } from '../wire/framer.ts';
import { frontend } from '../wire/message-codes.ts';
import { rowChanged, staleNames } from './error-mapping.ts';
import type { ErrorHandler, Expectation } from './expectation.ts';
import type { Names } from './names.ts';
import type { ResponseRouter } from './response-router.ts';

/** A table, column, function or type that is no more, or is of another type. */
const unknownNames = new Set(['42P01', '42703', '42883', '42704', '42804', '42846']);

/**
 * Whether a function of an overlay met a name that is no more: a table that it refers to was altered, of which the table's
 * own stamp tells nothing. Other errors there are those that it raises itself, in PostgreSQL's place.
 */
function failedInOverlay(fields: ErrorFields): boolean {
  return (
    unknownNames.has(fields.get('C') ?? '') && (fields.get('W') ?? '').includes(' stage_data.')
  );
}

/** More than this is not kept for a second try. */
const maxKeptBytes = 4 * 1024 * 1024;

/**
 * Armed while the running block is ours and the client has seen no result of it: then the block can be rolled back
 * and run again. In the client's own transaction only the client can do that: it gets 40001.
 */
export class Retry {
  private readonly router: ResponseRouter;
  private readonly names: Names;
  private armed = false;
  private wanted = false;
  private messages: Message[] = [];
  private keptBytes = 0;
  private answered = 0;
  /** The second run is on, after which there is no third. */
  private isSecond = false;
  private hidesAnswer = false;

  constructor(router: ResponseRouter, names: Names) {
    this.router = router;
    this.names = names;
  }

  get isWanted(): boolean {
    return this.wanted;
  }

  /** To be called when a block of ours is opened. */
  arm(): void {
    if (this.isSecond) return;
    this.armed = true;
    this.messages = [];
    this.keptBytes = 0;
    this.answered = 0;
  }

  /** The client has seen a result, or the block is over. */
  disarm(): void {
    this.armed = false;
    this.messages = [];
  }

  /** Keeps a message of the extended protocol to be handled again. */
  keep(message: Message): void {
    if (!this.armed) return;
    this.keptBytes += message.frame.length;
    if (this.keptBytes > maxKeptBytes) this.disarm();
    else this.messages.push(message);
  }

  /**
   * What is expected for a message of the client. While armed it is noted which answers the client has been given;
   * in the second run these are not given again.
   */
  answer(asked: Expectation['asked'], handlers: Partial<Expectation> = {}): Expectation {
    const shown = this.hidesAnswer ? 'nothing' : 'all';
    if (!this.armed) return { asked, shown, ...handlers };
    const { onDone } = handlers;
    return {
      asked,
      shown,
      ...handlers,
      onDone: (payload) => {
        onDone?.(payload);
        if (asked === 'execute') this.disarm();
        else this.answered += 1;
      },
    };
  }

  /**
   * Wraps the error handler of a step: what a second try may cure is not shown.
   * @param mayBeStale tells which other errors names could cause that have changed their meaning
   */
  before(handler: ErrorHandler, mayBeStale: (sqlstate: string) => boolean = () => false) {
    return (fields: ErrorFields): Buffer | null => {
      const told = this.judge(fields, mayBeStale);
      // The rest of the batch must be on its way: only then does it end without the client.
      const canRunAgain = this.armed && this.router.awaitsReady;
      if (!canRunAgain || !told.isCurable) return handler(told.fields);
      this.wanted = true;
      this.router.close();
      return null;
    };
  }

  /** Says whether a second try may cure an error, and makes sure that it does not start from the same names. */
  private judge(
    fields: ErrorFields,
    mayBeStale: (sqlstate: string) => boolean,
  ): { readonly fields: ErrorFields; readonly isCurable: boolean } {
    if (failedInOverlay(fields)) {
      this.names.suspectOverlays();
      this.names.forget();
      return { fields: new Map(fields).set('C', staleNames), isCurable: true };
    }
    const sqlstate = fields.get('C') ?? '';
    const isStale = sqlstate === staleNames || mayBeStale(sqlstate);
    if (isStale) this.names.forget();
    return { fields, isCurable: isStale || sqlstate === rowChanged };
  }

  /** Whether to try again; if so the client hears from now on, and gives what is to be handled again. */
  take(): { readonly messages: readonly Message[]; readonly answered: number } | null {
    const { wanted, messages, answered } = this;
    this.wanted = false;
    this.disarm();
    if (!wanted) return null;
    this.router.reopen();
    return { messages, answered };
  }

  /** Handles the kept messages again, if that is wanted. What was prepared or described before still is. */
  async replay(handle: (message: Message) => Promise<void>): Promise<void> {
    const again = this.take();
    if (again === null) return;
    this.isSecond = true;
    for (const [index, message] of again.messages.entries()) {
      const isAnswered = index < again.answered;
      if (isAnswered && message.type !== frontend.bind) continue;
      this.hidesAnswer = isAnswered;
      await handle(message);
      this.hidesAnswer = false;
    }
    this.isSecond = false;
  }
}
