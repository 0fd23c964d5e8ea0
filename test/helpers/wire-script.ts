/** A client that sends the protocol message by message, and compares the responses of two servers to the same messages. */
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { decodeErrorFields } from '../../src/wire/error-fields.ts';
import type { Message } from '../../src/wire/framer.ts';
import { Framer } from '../../src/wire/framer.ts';
import {
  bindMessage,
  closeMessage,
  describeMessage,
  executeMessage,
  flushMessage,
  parseMessage,
  queryMessage,
  syncMessage,
} from '../../src/wire/frontend-messages.ts';
import { backendLimits } from '../../src/wire/limits.ts';
import { backend, frontend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import { AwaitedAnswers } from './awaited-answers.ts';
import type { SendPacket } from './cancel-request.ts';
import { sendCancel } from './cancel-request.ts';

/** Short names for the messages of a script. */
export const q = (text: string) => queryMessage(text);
export const p = (text: string, name = '', types: readonly number[] = []) =>
  parseMessage({ name, text, types });
export const b = (values: readonly (string | Buffer | null)[] = [], statement = '', portal = '') =>
  bindMessage({
    portal,
    statement,
    values: values.map((value) => (typeof value === 'string' ? Buffer.from(value) : value)),
    formats: values.some((value) => Buffer.isBuffer(value))
      ? values.map((value) => (Buffer.isBuffer(value) ? 1 : 0))
      : [],
  });
export const d = (kind: 'statement' | 'portal' = 'portal', name = '') =>
  describeMessage({ kind, name });
export const e = (maxRows = 0, portal = '') => executeMessage(portal, maxRows);
export const c = (kind: 'statement' | 'portal', name: string) => closeMessage({ kind, name });
export const s = syncMessage;
export const h = flushMessage;
/** Returns a chunk of COPY data. */
export const data = (bytes: string | Buffer) =>
  new MessageWriter().raw(Buffer.from(bytes)).message(frontend.copyData);
export const done = new MessageWriter().message(frontend.copyDone);
/** Returns a complete unnamed statement, without Sync. */
export const run = (text: string, ...values: (string | Buffer | null)[]) =>
  Buffer.concat([p(text), b(values), d(), e()]);

export interface WireClient {
  readonly socket: Socket;
  send(...messages: readonly Buffer[]): void;
  /** Reads up to and including the first message for which `isLast` holds, or until the server closes the connection. */
  read(isLast: (message: Message) => boolean): Promise<Message[]>;
  /** Reads up to and including `count` messages of a type. */
  readTo(type: number, count?: number): Promise<Message[]>;
  /** Reads until the server closes the connection. */
  readToEnd(): Promise<Message[]>;
  /** Sends a cancel request, and waits until the server has handled it. */
  cancel(send?: SendPacket): Promise<void>;
  close(): void;
}

/** Logs in and returns the raw connection. */
export async function connectWire(url: string): Promise<WireClient> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners();
  const framer = new Framer(backendLimits());
  const waiting: { wake: () => void; ended: boolean } = { wake: () => undefined, ended: false };
  stream.on('data', (chunk: Buffer) => {
    framer.push(chunk);
    waiting.wake();
  });
  stream.on('error', () => undefined);
  stream.on('close', () => {
    waiting.ended = true;
    waiting.wake();
  });
  const next = async (): Promise<Message | null> => {
    for (;;) {
      const message = framer.next();
      if (message || waiting.ended) return message;
      await new Promise<void>((resolve) => {
        waiting.wake = resolve;
      });
    }
  };
  const read = async (isLast: (message: Message) => boolean): Promise<Message[]> => {
    const messages: Message[] = [];
    for (let message = await next(); message; message = await next()) {
      messages.push(message);
      if (isLast(message)) break;
    }
    return messages;
  };
  return {
    socket: stream,
    send: (...messages) => {
      stream.write(Buffer.concat(messages));
    },
    read,
    readTo: (type, count = 1) => {
      let seen = 0;
      return read((message) => message.type === type && ++seen === count);
    },
    readToEnd: () => read(() => false),
    cancel: (send) => sendCancel(client, client.port, send),
    close: () => {
      stream.destroy();
    },
  };
}

/** Fields for the place in the server's source that raised an error, and for the function of the service. */
const sourceFields = new Set(['F', 'L', 'R', 'W']);

/** Returns a message as text that is comparable between servers: without object ids and places in source files. */
export function inWords({ type, payload }: Message): string {
  const letter = String.fromCharCode(type);
  if (type === backend.errorResponse || type === backend.noticeResponse) {
    const fields = [...decodeErrorFields(payload)].filter(([code]) => !sourceFields.has(code));
    const words = fields.map(([code, value]) => `${code}=${value}`).join(' ');
    // Each connection has its own temporary schema.
    return `${letter} ${words.replaceAll(/pg_temp_\d+/g, 'pg_temp')}`;
  }
  if (type === backend.rowDescription) return `${letter} ${withoutOids(payload)}`;
  return `${letter} ${payload.toString('latin1').replaceAll('\0', '.')}`;
}

/** Blanks the table OID and column number, because an overlay has its own. */
function withoutOids(payload: Buffer): string {
  const copy = Buffer.from(payload);
  let at = 2;
  for (let column = copy.readUInt16BE(0); column > 0; column -= 1) {
    at = copy.indexOf(0, at) + 1;
    copy.fill(0, at, at + 6);
    at += 18;
  }
  return copy.toString('latin1').replaceAll('\0', '.');
}

/** Sends messages and returns the responses up to ReadyForQuery, in words. */
export async function exchange(client: WireClient, ...messages: readonly Buffer[]) {
  client.send(...messages);
  return (await client.readTo(backend.readyForQuery)).map(inWords);
}

/** An action between messages: the client waits for all responses, requests a cancel, or something else happens before it goes on. */
export type Pause = 'wait' | 'cancel' | (() => Promise<unknown>);

/** Longer than any response takes, on a slow machine too. After it the client gives up. */
const patienceMs = 30_000;

/** Logs in, sends everything, and closes the connection: `runScriptOn` has the result. */
export async function runScript(
  url: string,
  steps: readonly (Buffer | Pause)[],
  nextSize?: () => number,
): Promise<string[]> {
  const client = await connectWire(url);
  return runScriptOn(client, steps, nextSize).finally(() => client.close());
}

/**
 * Sends everything and returns all responses before those of a final query, which it adds. Each part between two pauses is sent in one
 * piece or in the given sizes. A missing response is reported as `hangs`, and closes the connection.
 */
export async function runScriptOn(
  client: WireClient,
  steps: readonly (Buffer | Pause)[],
  nextSize: () => number = () => Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const heard: string[] = [];
  const timer = setTimeout(() => {
    heard.push('hangs');
    client.close();
  }, patienceMs);
  try {
    await sendSteps(client, steps, nextSize, (messages) => {
      timer.refresh();
      heard.push(...messages);
    });
    const marker = 'the end of the script';
    // A Sync first: after the script the server may still be skipping messages.
    const end = q(`SELECT '${marker}'`);
    await sendPieces(client, [s, end], nextSize);
    for (let isRolledBack = false; ; ) {
      const batch = (await client.readTo(backend.readyForQuery)).map(inWords);
      timer.refresh();
      heard.push(...batch);
      if (batch.length === 0) return [...heard, 'closed'];
      if (batch.some((message) => message.includes(marker))) return heard;
      // the script may have ended in a block that has failed
      if (isRolledBack || !batch.some((message) => message.includes(' C=25P02 '))) continue;
      isRolledBack = true;
      await sendPieces(client, [q('ROLLBACK'), end], nextSize);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function sendSteps(
  client: WireClient,
  steps: readonly (Buffer | Pause)[],
  nextSize: () => number,
  hear: (messages: readonly string[]) => void,
): Promise<void> {
  const awaited = new AwaitedAnswers();
  let together: Buffer[] = [];
  const send = async () => {
    for (const message of together) awaited.sent(message);
    await sendPieces(client, together, nextSize);
    together = [];
  };
  for (const step of steps) {
    if (Buffer.isBuffer(step)) {
      together.push(step);
      continue;
    }
    await send();
    if (step === 'cancel') await client.cancel();
    if (typeof step === 'function') await step();
    const isLast = (message: Message) => {
      awaited.received(message);
      return awaited.areThere;
    };
    if (step === 'wait' && !awaited.areThere) hear((await client.read(isLast)).map(inWords));
  }
  await sendPieces(client, together, nextSize);
}

async function sendPieces(
  client: WireClient,
  messages: readonly Buffer[],
  nextSize: () => number,
): Promise<void> {
  const bytes = Buffer.concat(messages);
  for (let at = 0; at < bytes.length; ) {
    const size = nextSize();
    client.send(bytes.subarray(at, at + size));
    at += size;
    await setImmediate();
  }
}
