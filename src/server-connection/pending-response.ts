/** What the server has still to answer: one entry for each message sent, in order. */
import type { ErrorFields } from '../wire/error-fields.ts';
import { backend } from '../wire/message-codes.ts';

/** The message sent, by what completes its answer. Only `query` and `sync` are completed by ReadyForQuery. */
type Asked = 'parse' | 'bind' | 'describe' | 'execute' | 'close' | 'query' | 'sync';

export interface PendingResponse {
  readonly asked: Asked;
  /** What the client sees: everything; all but ReadyForQuery; nothing. */
  readonly shown: 'all' | 'answer' | 'nothing';
  /** Stands in the CommandComplete in place of the tag of what was sent for the client's statement. */
  readonly tag?: string;
  /** Keeps CommandComplete back until the router is told to show or to forget it. */
  readonly holdsCompletion?: boolean;
  readonly hidesNotices?: boolean;
  /** The status that its ReadyForQuery tells is that of before a BEGIN that has been sent behind it. */
  readonly isBeforeBegin?: boolean;
  /** A message of ours that stands before CommandComplete, or before the error in its place. */
  readonly notice?: Buffer;
  /** Gives a message of ours that stands before a CommandComplete which is shown, by its tag; null for none. */
  readonly remark?: (tag: string) => Buffer | null;
  /** Gives the message for the client in an error's place; null for none. By default the error as it came, if shown. */
  readonly onError?: ErrorHandler;
  /** Gives what the client is shown of a notice; as it came by default. */
  readonly onNotice?: (fields: ErrorFields) => Buffer;
  /** Raised an error, or was skipped by the server after one. */
  readonly onFailure?: () => void;
  /** Answered without an error; with the payload of the completing message. */
  readonly onDone?: (payload: Buffer) => void;
  readonly onRow?: (payload: Buffer) => void;
  /** The server takes data from now on; gives whether the client is to be told. Only a COPY that has this may ask for it. */
  readonly onCopyIn?: () => boolean;
  readonly onParameterTypes?: (payload: Buffer) => void;
}

export type ErrorHandler = (fields: ErrorFields) => Buffer | null;

/** The client's own messages that pass untouched. */
export const passing = {
  bind: { asked: 'bind', shown: 'all' },
  describe: { asked: 'describe', shown: 'all' },
  execute: { asked: 'execute', shown: 'all' },
  close: { asked: 'close', shown: 'all' },
  query: { asked: 'query', shown: 'all' },
  sync: { asked: 'sync', shown: 'all' },
} as const satisfies Record<string, PendingResponse>;

export const hiddenSync: PendingResponse = { asked: 'sync', shown: 'nothing' };
export const hiddenClose: PendingResponse = { asked: 'close', shown: 'nothing' };

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
