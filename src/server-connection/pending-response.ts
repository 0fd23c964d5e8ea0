/** What the server has still to answer: one entry for each message sent, in order. */
import type { ErrorFields } from '../wire/error-fields.ts';
import { backend } from '../wire/message-codes.ts';

/** The message sent, by what completes its answer. Only `query` and `sync` are completed by ReadyForQuery. */
type Asked = 'parse' | 'bind' | 'describe' | 'execute' | 'close' | 'query' | 'sync';

/** What may be particular about an answer. */
export interface Particulars {
  /** Stands in the CommandComplete in place of the tag of what was sent for the client's statement. */
  readonly tag?: string | (() => string | undefined) | undefined;
  /** Keeps CommandComplete back until the router is told to show or to forget it. */
  readonly holdsCompletion?: boolean | undefined;
  readonly hidesNotices?: boolean | undefined;
  /** The status that its ReadyForQuery tells is that of before a BEGIN that has been sent behind it. */
  readonly isBeforeBegin?: boolean | undefined;
  /** A message of ours that stands before CommandComplete, or before the error in its place. */
  readonly notice?: Buffer | undefined;
  /** Gives a message of ours that stands before a CommandComplete which is shown, by its tag; null for none. */
  readonly remark?: ((tag: string) => Buffer | null) | undefined;
  /** Gives the message for the client in an error's place; null for none. By default the error as it came, if shown. */
  readonly onError?: ErrorHandler | undefined;
  /** Gives what the client is shown of a notice; as it came by default. */
  readonly onNotice?: ((fields: ErrorFields) => Buffer | null) | undefined;
  /** Raised an error, or was skipped by the server after one. */
  readonly onFailure?: (() => void) | undefined;
  /** Answered without an error; with the payload of the completing message. */
  readonly onDone?: ((payload: Buffer) => void) | undefined;
  readonly onRow?: ((payload: Buffer) => void) | undefined;
  /** The server takes data from now on; gives whether the client is to be told. Only a COPY that has this may ask for it. */
  readonly onCopyIn?: (() => boolean) | undefined;
  readonly onParameterTypes?: ((payload: Buffer) => void) | undefined;
}

const nothingParticular: Particulars = {};

/**
 * One for each message sent. All of them have one form, which V8 finds members of at once: an object that is put together by
 * spreading others has a form of its own each time.
 */
export class PendingResponse implements Particulars {
  readonly asked: Asked;
  /** What the client sees: everything; all but ReadyForQuery; nothing. */
  readonly shown: 'all' | 'answer' | 'nothing';
  readonly tag: Particulars['tag'];
  readonly holdsCompletion: Particulars['holdsCompletion'];
  readonly hidesNotices: Particulars['hidesNotices'];
  readonly isBeforeBegin: Particulars['isBeforeBegin'];
  readonly notice: Particulars['notice'];
  readonly remark: Particulars['remark'];
  readonly onError: Particulars['onError'];
  readonly onNotice: Particulars['onNotice'];
  readonly onFailure: Particulars['onFailure'];
  readonly onDone: Particulars['onDone'];
  readonly onRow: Particulars['onRow'];
  readonly onCopyIn: Particulars['onCopyIn'];
  readonly onParameterTypes: Particulars['onParameterTypes'];

  /** @param others hold for what the first ones do not give */
  constructor(
    asked: Asked,
    shown: PendingResponse['shown'],
    particulars: Particulars = nothingParticular,
    others: Particulars = nothingParticular,
  ) {
    this.asked = asked;
    this.shown = shown;
    this.tag = particulars.tag ?? others.tag;
    this.holdsCompletion = particulars.holdsCompletion ?? others.holdsCompletion;
    this.hidesNotices = particulars.hidesNotices ?? others.hidesNotices;
    this.isBeforeBegin = particulars.isBeforeBegin ?? others.isBeforeBegin;
    this.notice = particulars.notice ?? others.notice;
    this.remark = particulars.remark ?? others.remark;
    this.onError = particulars.onError ?? others.onError;
    this.onNotice = particulars.onNotice ?? others.onNotice;
    this.onFailure = particulars.onFailure ?? others.onFailure;
    this.onDone = particulars.onDone ?? others.onDone;
    this.onRow = particulars.onRow ?? others.onRow;
    this.onCopyIn = particulars.onCopyIn ?? others.onCopyIn;
    this.onParameterTypes = particulars.onParameterTypes ?? others.onParameterTypes;
  }
}

export type ErrorHandler = (fields: ErrorFields) => Buffer | null;

/** The client's own messages that pass untouched. */
export const passing = {
  bind: new PendingResponse('bind', 'all'),
  describe: new PendingResponse('describe', 'all'),
  execute: new PendingResponse('execute', 'all'),
  close: new PendingResponse('close', 'all'),
  query: new PendingResponse('query', 'all'),
  sync: new PendingResponse('sync', 'all'),
} as const;

export const hiddenSync = new PendingResponse('sync', 'nothing');
export const hiddenClose = new PendingResponse('close', 'nothing');

const completing: Readonly<Record<Asked, readonly number[]>> = {
  parse: [backend.parseComplete],
  bind: [backend.bindComplete],
  describe: [backend.rowDescription, backend.noData],
  execute: [backend.commandComplete, backend.emptyQueryResponse, backend.portalSuspended],
  close: [backend.closeComplete],
  query: [],
  sync: [],
};

const belonging: Readonly<Partial<Record<Asked, readonly number[]>>> = {
  describe: [backend.parameterDescription],
  execute: [backend.copyInResponse, backend.dataRow],
  query: [
    backend.copyInResponse,
    backend.rowDescription,
    backend.dataRow,
    backend.commandComplete,
    backend.emptyQueryResponse,
  ],
};

/** What a message is to what was asked. */
export const roles = { none: 0, belongs: 1, completes: 2 } as const;

const rolesByAsked = Object.fromEntries(
  Object.entries(completing).map(([asked, types]) => {
    const table = new Uint8Array(256);
    for (const type of belonging[asked as Asked] ?? []) table[type] = roles.belongs;
    for (const type of types) table[type] = roles.completes;
    return [asked, table];
  }),
) as Readonly<Record<Asked, Uint8Array>>;

/** Whether a message can be an answer to what was asked, and whether it is the last of it: one of `roles`. */
export function roleOf(pending: PendingResponse, type: number): number {
  if (type === backend.copyInResponse && pending.onCopyIn === undefined) return roles.none;
  return rolesByAsked[pending.asked][type] as number;
}

/** Whether the client is to get something else than the CommandComplete that comes. */
export function isParticular({ tag, notice, remark, holdsCompletion }: PendingResponse): boolean {
  const isAsItComes = tag === undefined && notice === undefined && remark === undefined;
  return !isAsItComes || holdsCompletion === true;
}
