/** The expected responses of the server: one entry for each message sent, in order. */
import type { ErrorFields } from '../wire/error-fields.ts';
import { backend } from '../wire/message-codes.ts';

/** The kind of message sent, by what completes its response. Only `query` and `sync` are completed by ReadyForQuery. */
type RequestKind = 'parse' | 'bind' | 'describe' | 'execute' | 'close' | 'query' | 'sync';

/** Optional handling of a response. */
export interface Particulars {
  /** Replaces the tag in the CommandComplete, when the statement that was sent has another tag than the client's. */
  readonly tag?: string | (() => string | undefined) | undefined;
  /** Holds CommandComplete back until the router shows or discards it. */
  readonly defersCompletion?: boolean | undefined;
  readonly hidesNotices?: boolean | undefined;
  /** The status in its ReadyForQuery precedes a BEGIN that was sent behind it. */
  readonly isBeforeBegin?: boolean | undefined;
  /** An internal message that precedes the CommandComplete, or the error in its place. */
  readonly notice?: Buffer | undefined;
  /** Returns an internal message that precedes a shown CommandComplete, by its tag; null for none. */
  readonly remark?: ((tag: string) => Buffer | null) | undefined;
  /** Returns the client's message for an error; null for none. By default the error passes unchanged, if the response is shown. */
  readonly onError?: ErrorHandler | undefined;
  /** Returns the client's message for a notice; null for none. By default the notice passes unchanged, if the response is shown. */
  readonly onNotice?: ((fields: ErrorFields) => Buffer | null) | undefined;
  /** Called when the message caused an error, or was skipped by the server after one. */
  readonly onFailure?: (() => void) | undefined;
  /** Called when the response ended without an error, with the payload of the completing message. */
  readonly onDone?: ((payload: Buffer) => void) | undefined;
  readonly onRow?: ((payload: Buffer) => void) | undefined;
  /**
   * Called when the server requests COPY data. Returns whether the client gets the CopyInResponse, which is invalid without this handler.
   */
  readonly onCopyIn?: (() => boolean) | undefined;
  readonly onParameterTypes?: ((payload: Buffer) => void) | undefined;
}

const nothingParticular: Particulars = {};

/**
 * The expected response to one message. All instances have one shape, which V8 accesses fast. Objects built with the spread operator
 * would each get their own.
 */
export class PendingResponse implements Particulars {
  readonly request: RequestKind;
  /** The part of the response that the client sees: everything; all but ReadyForQuery; nothing. */
  readonly shown: 'all' | 'response' | 'nothing';
  readonly tag: Particulars['tag'];
  readonly defersCompletion: Particulars['defersCompletion'];
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

  /** @param others used for the fields that `particulars` does not set */
  constructor(
    request: RequestKind,
    shown: PendingResponse['shown'],
    particulars: Particulars = nothingParticular,
    others: Particulars = nothingParticular,
  ) {
    this.request = request;
    this.shown = shown;
    this.tag = particulars.tag ?? others.tag;
    this.defersCompletion = particulars.defersCompletion ?? others.defersCompletion;
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

/** Entries for the client's own messages that pass unchanged. */
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

const completing: Readonly<Record<RequestKind, readonly number[]>> = {
  parse: [backend.parseComplete],
  bind: [backend.bindComplete],
  describe: [backend.rowDescription, backend.noData],
  execute: [backend.commandComplete, backend.emptyQueryResponse, backend.portalSuspended],
  close: [backend.closeComplete],
  query: [],
  sync: [],
};

const belonging: Readonly<Partial<Record<RequestKind, readonly number[]>>> = {
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

/** The role of a message in a response. */
export const roles = { none: 0, belongs: 1, completes: 2 } as const;

const rolesByRequest = Object.fromEntries(
  Object.entries(completing).map(([request, types]) => {
    const table = new Uint8Array(256);
    for (const type of belonging[request as RequestKind] ?? []) table[type] = roles.belongs;
    for (const type of types) table[type] = roles.completes;
    return [request, table];
  }),
) as Readonly<Record<RequestKind, Uint8Array>>;

/** Returns the role of a message type in a response, one of `roles`. */
export function roleOf(pending: PendingResponse, type: number): number {
  if (type === backend.copyInResponse && pending.onCopyIn === undefined) return roles.none;
  return rolesByRequest[pending.request][type] as number;
}

/** Returns whether the client receives something other than the server's CommandComplete. */
export function isParticular({ tag, notice, remark, defersCompletion }: PendingResponse): boolean {
  const isAsItComes = tag === undefined && notice === undefined && remark === undefined;
  return !isAsItComes || defersCompletion === true;
}
