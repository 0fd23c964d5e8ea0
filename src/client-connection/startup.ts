/**
 * The first words of a client connection: encryption is negotiated, then it is a login or a cancel request.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP
 */
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { TLSSocket } from 'node:tls';
import { StageError } from '../errors.ts';
import { negotiateProtocolVersion } from '../wire/backend-messages.ts';
import { passwordLimits } from '../wire/limits.ts';
import type { StartupPacket } from '../wire/startup.ts';
import { decodeStartupPacket, newestMinor } from '../wire/startup.ts';
import { ConnectionEnded, StartupStream } from './startup-stream.ts';
import { acceptTls } from './tls.ts';

interface Opening<Kind> {
  /** The client's stream, encrypted if the client asked for it. */
  readonly stream: StartupStream;
  readonly kind: Kind;
  readonly packet: Extract<StartupPacket, { kind: Kind }>;
}

export type ClientStartup = Opening<'startup'>;
export type ClientCancel = Opening<'cancel'>;

/**
 * Reads until the client says what it came for.
 * @param onSocket told the socket to answer on, as soon as it is an encrypted one
 * @throws StageError `protocol_violation`, ConnectionEnded, or the signal's reason
 */
export async function readOpening(
  plain: Socket,
  secureContext: SecureContext | null,
  signal: AbortSignal,
  onSocket: (socket: Socket) => void,
): Promise<ClientStartup | ClientCancel> {
  let stream = new StartupStream(plain, passwordLimits(), signal);
  const encrypt = async (context: SecureContext) => {
    const socket = await acceptTls(stream.socket, context);
    onSocket(socket);
    stream = new StartupStream(socket, passwordLimits(), signal);
  };
  if (secureContext !== null && (await stream.peekByte()) === tlsHandshake) {
    plain.unshift(stream.release());
    await encrypt(secureContext);
    requireProtocolName(stream.socket);
  }
  const declined = new Set<string>();
  for (;;) {
    const packet = decodeStartupPacket(await stream.nextStartup());
    if (packet.kind === 'startup') return { stream, kind: packet.kind, packet };
    if (packet.kind === 'cancel') return { stream, kind: packet.kind, packet };
    checkNegotiation(stream, declined.has(packet.kind));
    if (packet.kind === 'ssl' && secureContext !== null) {
      stream.release();
      plain.write('S');
      await encrypt(secureContext);
    } else {
      declined.add(packet.kind);
      plain.write('N');
    }
  }
}

/** First byte of a TLS record: the client encrypts at once instead of asking first (sslnegotiation=direct). */
const tlsHandshake = 0x16;

function requireProtocolName(socket: Socket): void {
  if (socket instanceof TLSSocket && socket.alpnProtocol === 'postgresql') return;
  throw new ConnectionEnded('direct TLS without the protocol name of PostgreSQL');
}

/** Each kind of encryption may be asked for once, and with nothing behind the request. */
function checkNegotiation(stream: StartupStream, repeated: boolean): void {
  // guard: encryption is negotiated once
  if (repeated || stream.socket instanceof TLSSocket) {
    throw new StageError('protocol_violation', 'encryption has been negotiated already');
  }
  // Sent unencrypted, perhaps by somebody on the line, to be taken for the client's own words later.
  // guard: nothing is taken that came unencrypted behind the request for encryption
  if (stream.buffered > 0) {
    throw new StageError(
      'protocol_violation',
      'received unencrypted data after the request for encryption',
    );
  }
}

/** Answers a client that asked for more than protocol 3.2, and gives the minor version that holds from now on. */
export function settleVersion(stream: StartupStream, packet: ClientStartup['packet']): number {
  const minor = Math.min(packet.minor, newestMinor);
  if (minor < packet.minor || packet.protocolOptions.length > 0) {
    stream.socket.write(negotiateProtocolVersion(minor, packet.protocolOptions));
  }
  return minor;
}
