/**
 * Decodes and builds the packets without a type byte: start-up of a connection, and cancel requests.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP
 */
import { StageError } from '../errors.ts';
import type { Key } from './backend-decoder.ts';
import { request } from './message-codes.ts';
import { MessageReader } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';

/** Name and value, in the order sent. */
export type StartupParameters = readonly (readonly [name: string, value: string])[];

export type StartupPacket =
  | { readonly kind: 'ssl' | 'gss' }
  | ({ readonly kind: 'cancel' } & Key)
  | {
      readonly kind: 'startup';
      /** The minor version of protocol 3 that the client requested. */
      readonly minor: number;
      readonly parameters: StartupParameters;
      /** The names of `_pq_.` protocol options. The proxy supports none of them. */
      readonly protocolOptions: readonly string[];
    };

/** The newest protocol version for clients: 3.2, whose cancel keys may be longer than 4 bytes. */
export const newestMinor = 2;

/**
 * Decodes a packet.
 * @param packet without its length, as the framer returns it
 * @throws StageError `protocol_violation`; with SQLSTATE 0A000 for another major version of the protocol
 */
export function decodeStartupPacket(packet: Buffer): StartupPacket {
  const reader = new MessageReader(packet);
  const code = reader.int32();
  if (code === request.ssl) return reader.end({ kind: 'ssl' });
  if (code === request.gssEncryption) return reader.end({ kind: 'gss' });
  if (code === request.cancel) return decodeCancel(reader);
  const major = code >>> 16;
  const minor = code & 0xffff;
  if (major !== 3) {
    throw new StageError(
      'protocol_violation',
      `unsupported frontend protocol ${major}.${minor}: server supports 3.0 to 3.${newestMinor}`,
      { sqlstate: '0A000' },
    );
  }
  const all = readParameters(reader);
  const isOption = ([name]: readonly [string, string]) => name.startsWith('_pq_.');
  return {
    kind: 'startup',
    minor,
    parameters: all.filter((parameter) => !isOption(parameter)),
    protocolOptions: all.filter(isOption).map(([name]) => name),
  };
}

/** Builds the StartupMessage for a server, with version 3.0, which every server and pooler supports. */
export function startupMessage(parameters: StartupParameters): Buffer {
  const writer = new MessageWriter(512).int32(3 << 16);
  for (const [name, value] of parameters) writer.text(name).text(value);
  return writer.byte(0).packet();
}

/** Builds the packet that requests the cancellation of a statement. */
export function cancelRequest({ processId, secret }: Key): Buffer {
  return new MessageWriter().int32(request.cancel).int32(processId).raw(secret).packet();
}

export const sslRequest = new MessageWriter(4).int32(request.ssl).packet();

function decodeCancel(reader: MessageReader): StartupPacket {
  const processId = reader.int32();
  const length = reader.remaining;
  if (length < 4 || length > 256)
    throw new StageError('protocol_violation', 'invalid length of cancel request packet');
  return { kind: 'cancel', processId, secret: reader.bytes(length) };
}

function readParameters(reader: MessageReader): [string, string][] {
  const parameters = new Map<string, string>();
  for (let name = reader.string(); name !== ''; name = reader.string()) {
    // The server would use the last value, but another reader of the packet may use the first.
    if (parameters.has(name)) {
      throw new StageError(
        'protocol_violation',
        `startup parameter ${JSON.stringify(name)} is given twice`,
      );
    }
    parameters.set(name, reader.string());
  }
  return reader.end([...parameters]);
}
