/** Sends a cancel request as a client library does, on a separate connection. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type pg from 'pg';
import { cancelRequest, sslRequest } from '../../src/wire/startup.ts';

/** Sends a packet on a new connection, and resolves when the server closes it. */
export type SendPacket = (port: number, packet: Buffer) => Promise<void>;

/** Cancels what a client runs, and resolves when the request's connection is closed. */
export async function sendCancel(
  client: pg.Client,
  port: number,
  send: SendPacket = inPlainText,
): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const secret = Buffer.alloc(4);
  secret.writeInt32BE(secretKey);
  await send(port, cancelRequest({ processId: processID, secret }));
}

/** As libpq does: a client that closes the connection itself cannot know whether the request was handled. */
const inPlainText: SendPacket = (port, packet) => finish(opened(port), packet, false);

/** The ways to send a cancel request. In the last ones the client closes its own side at once. */
export const cancelWays: Readonly<Record<string, SendPacket>> = {
  'in plain text': inPlainText,
  'over TLS': async (port, packet) => finish(await requested(port), packet, false),
  'in plain text, half-closed': (port, packet) => finish(opened(port), packet, true),
  'over TLS, half-closed': async (port, packet) => finish(await requested(port), packet, true),
  'over TLS at once, half-closed': async (port, packet) =>
    finish(await encrypted(opened(port)), packet, true),
};

function opened(port: number): Socket {
  return connect({ host: '127.0.0.1', port, allowHalfOpen: true }).on('error', () => undefined);
}

async function requested(port: number): Promise<Socket> {
  const socket = opened(port);
  socket.write(sslRequest);
  const [answer] = await once(socket, 'data');
  if (String(answer) !== 'S') throw new Error(`the request for TLS was answered by ${answer}`);
  return encrypted(socket);
}

async function encrypted(socket: Socket): Promise<Socket> {
  const options = { rejectUnauthorized: false, allowHalfOpen: true };
  const client = connectTls({ ...options, socket, ALPNProtocols: ['postgresql'] });
  await once(client, 'secureConnect');
  return client.on('error', () => undefined);
}

async function finish(socket: Socket, packet: Buffer, closes: boolean): Promise<void> {
  const ended = new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  socket.resume();
  if (closes) socket.end(packet);
  else socket.write(packet);
  await ended;
  socket.destroy();
}
