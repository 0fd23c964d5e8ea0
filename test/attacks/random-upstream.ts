/** A server that responds nearly as PostgreSQL would: its messages are random, and some are corrupted. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import {
  authenticationOk,
  backendKeyData,
  bindComplete,
  closeComplete,
  commandComplete,
  emptyQueryResponse,
  errorResponse,
  noData,
  noticeResponse,
  parameterStatus,
  parseComplete,
  readyForQuery,
} from '../../src/wire/backend-messages.ts';
import { errorFields } from '../../src/wire/error-fields.ts';
import type { Message } from '../../src/wire/framer.ts';
import { Framer } from '../../src/wire/framer.ts';
import { frontendLimits } from '../../src/wire/limits.ts';
import { backend, frontend } from '../../src/wire/message-codes.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { bytes, frame, spoilt } from './random-frames.ts';

export interface RandomUpstream {
  readonly port: number;
  /** The number of messages it has sent, and of corrupted ones. */
  readonly sent: { frames: number; spoilt: number };
  /** Whether it sends only valid messages. */
  behaves: boolean;
  stop(): void;
}

const login = [
  authenticationOk,
  parameterStatus('default_transaction_read_only', 'on'),
  parameterStatus('client_encoding', 'UTF8'),
  parameterStatus('standard_conforming_strings', 'on'),
  backendKeyData(7, Buffer.from('0007', 'latin1')),
  readyForQuery('I'),
];

const failure = errorResponse(errorFields('ERROR', { sqlstate: 'XX000', message: 'random' }));
const notice = noticeResponse(errorFields('NOTICE', { sqlstate: '00000', message: 'random' }));
const oneValue = Buffer.from('00010000000131', 'hex');
const description = frame(
  backend.rowDescription,
  Buffer.from('00016100000000000000000000170004ffffffff0000', 'hex'),
);

/** Starts the server. The seeds of its connections count from `firstSeed`. The caller stops it. */
export async function startRandomUpstream(firstSeed: number): Promise<RandomUpstream> {
  const open = new Set<Socket>();
  let seed = firstSeed;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
    const random = createRandom(seed);
    seed += 1;
    const spoiling = upstream.behaves ? 0 : random.pick([0, 0.0005, 0.005, 0.1]);
    const send = (messages: readonly Buffer[]) => {
      const said = messages.map((message) => {
        if (!random.chance(spoiling)) return message;
        upstream.sent.spoilt += 1;
        return spoilt(random, message);
      });
      upstream.sent.frames += said.length;
      if (!socket.destroyed) socket.write(Buffer.concat(said));
    };
    const framer = new Framer(frontendLimits(1_000_000));
    socket.once('data', () => {
      send(login);
      socket.on('data', (chunk: Buffer) => {
        framer.push(chunk);
        const messages: Buffer[] = [];
        for (let asked = framer.next(); asked !== null; asked = framer.next())
          messages.push(...(isQuestion(asked) ? origin : answerTo(asked.type, random)));
        send(messages);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream: RandomUpstream = {
    port: (server.address() as AddressInfo).port,
    sent: { frames: 0, spoilt: 0 },
    behaves: false,
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
  return upstream;
}

/** Returns whether a message is the query that every login sends. */
const isQuestion = ({ payload }: Message) => payload.includes('session_replication_role');
const origin = [
  description,
  frame(backend.dataRow, Buffer.from('0001000000066f726967696e', 'hex')),
  commandComplete('SHOW'),
  readyForQuery('I'),
];

function answerTo(type: number, random: Random): Buffer[] {
  const ready = () => readyForQuery(random.pick(['I', 'I', 'I', 'T', 'E']));
  switch (type) {
    case frontend.query:
      return [description, ...rows(random), ...aside(random), ending(random), ready()];
    case frontend.parse:
      return [parseComplete];
    case frontend.bind:
      return [bindComplete];
    case frontend.describe:
      return [random.pick([description, noData])];
    case frontend.execute:
      return [...rows(random), ...aside(random), ending(random)];
    case frontend.close:
      return [closeComplete];
    case frontend.sync:
      return [ready()];
    case frontend.copyDone:
    case frontend.copyFail:
      return [commandComplete('COPY 1'), ready()];
    default:
      return [];
  }
}

function rows(random: Random): Buffer[] {
  const row = frame(backend.dataRow, random.chance(0.2) ? bytes(random, 20) : oneValue);
  return Array.from({ length: random.below(1000) }, () => row);
}

/** Returns messages that a server may send at any time. */
function aside(random: Random): Buffer[] {
  if (random.chance(0.9)) return [];
  return random.pick([
    [notice],
    [parameterStatus('application_name', 'x')],
    [parameterStatus('client_encoding', 'SJIS')],
    [parameterStatus('default_transaction_read_only', 'off')],
    [frame(backend.notificationResponse, Buffer.from('\0\0\0\x01a\0b\0', 'latin1'))],
    [frame(backend.copyInResponse, Buffer.from('000000', 'hex'))],
    [frame(backend.copyOutResponse, Buffer.from('000000', 'hex'))],
    [frame(backend.copyBothResponse, Buffer.from('000000', 'hex'))],
  ]);
}

function ending(random: Random): Buffer {
  if (random.chance(0.8)) return commandComplete(random.pick(['SELECT 1', 'UPDATE 1', 'BEGIN']));
  return random.pick([
    failure,
    emptyQueryResponse,
    frame(backend.portalSuspended, Buffer.alloc(0)),
  ]);
}
