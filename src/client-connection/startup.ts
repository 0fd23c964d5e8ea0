/**
 * Reads the beginning of a client connection: negotiation of encryption, then a login or a cancel request.
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
  /** The client's stream, encrypted if the client requested it. */
  readonly stream: StartupStream;
  readonly kind: Kind;
  readonly packet: Extract<StartupPacket, { kind: Kind }>;
}

export type ClientStartup = Opening<'startup'>;
export type ClientCancel = Opening<'cancel'>;

/**
 * Reads until the client sends its StartupMessage or CancelRequest.
 * @param onSocket called with the encrypted socket as soon as it replaces the plain one
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

/** The first byte of a TLS record: the client starts TLS at once, without an SSLRequest (sslnegotiation=direct). */
const tlsHandshake = 0x16;

function requireProtocolName(socket: Socket): void {
  if (socket instanceof TLSSocket && socket.alpnProtocol === 'postgresql') return;
  throw new ConnectionEnded('direct TLS without the protocol name of PostgreSQL');
}

/** Checks that a client requests each kind of encryption once, and sends nothing behind the request. */
function checkNegotiation(stream: StartupStream, repeated: boolean): void {
  // guard: encryption is negotiated once
  if (repeated || stream.socket instanceof TLSSocket) {
    throw new StageError('protocol_violation', 'encryption has been negotiated already');
  }
  // An attacker on the network may have sent these bytes, so that they later pass for the client's own.
  // guard: unencrypted bytes behind the request for encryption are refused
  if (stream.buffered > 0) {
    throw new StageError(
      'protocol_violation',
      'received unencrypted data after the request for encryption',
    );
  }
}

/** Sends NegotiateProtocolVersion when the client requested more than protocol 3.2. Returns the minor version that applies. */
export function settleVersion(stream: StartupStream, packet: ClientStartup['packet']): number {
  const minor = Math.min(packet.minor, newestMinor);
  if (minor < packet.minor || packet.protocolOptions.length > 0) {
    stream.socket.write(negotiateProtocolVersion(minor, packet.protocolOptions));
  }
  return minor;
}
