/**
 * Upgrades a plain socket to TLS, for clients and upstreams, after PostgreSQL's negotiation.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL
 */
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { connect, TLSSocket } from 'node:tls';
import { ConnectionEnded } from './startup-stream.ts';

/** PostgreSQL's ALPN protocol name. A client that offers ALPN names must offer this one. */
const protocols = ['postgresql'];

/** Accepts a TLS handshake. The plain socket must be paused. Bytes that were put back on it (unshift) belong to the handshake. */
export function acceptTls(plain: Socket, secureContext: SecureContext): Promise<TLSSocket> {
  const encrypted = new TLSSocket(plain, {
    isServer: true,
    secureContext,
    ALPNProtocols: protocols,
  });
  return handshake(plain, encrypted, 'secure');
}

/** Starts a TLS handshake, and verifies the server as the options require. */
export function connectTls(plain: Socket, options: ConnectionOptions): Promise<TLSSocket> {
  return handshake(
    plain,
    connect({ ...options, socket: plain, ALPNProtocols: protocols }),
    'secureConnect',
  );
}

function handshake(
  plain: Socket,
  encrypted: TLSSocket,
  done: 'secure' | 'secureConnect',
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => {
      encrypted.destroy();
      reject(error);
    };
    const onClose = () =>
      reject(new ConnectionEnded('the peer closed the connection during the TLS handshake'));
    encrypted.once('error', onError);
    encrypted.once('close', onClose);
    plain.once('close', onClose);
    encrypted.once(done, () => {
      encrypted.off('error', onError);
      encrypted.off('close', onClose);
      plain.off('close', onClose);
      encrypted.on('error', ignore);
      resolve(encrypted);
    });
  });
}

/** Returns whether both sides of the proxy use the same server certificate, to which SCRAM channel binding binds. */
export function sameCertificate(client: Socket, upstream: Socket): boolean {
  if (!(client instanceof TLSSocket) || !(upstream instanceof TLSSocket)) return false;
  const ours = client.getX509Certificate();
  const theirs = upstream.getPeerX509Certificate();
  return ours !== undefined && theirs !== undefined && ours.raw.equals(theirs.raw);
}

/** `close` follows every error of a socket and is handled elsewhere. Without a listener an error would end the process. */
function ignore(): void {}
