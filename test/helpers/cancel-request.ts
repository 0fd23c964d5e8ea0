/** Sends a cancel request as a client library does, on a separate connection. */
import { connect } from 'node:net';
import type pg from 'pg';

/** Cancels what a client runs, and resolves when the request's connection is closed. */
export async function sendCancel(client: pg.Client, port: number): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const packet = Buffer.alloc(16);
  for (const [index, value] of [16, 80_877_102, processID, secretKey].entries())
    packet.writeInt32BE(value, index * 4);
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  // As libpq does: a client that closes the connection itself cannot know whether the request was handled.
  socket.resume().write(packet);
  await new Promise((resolve) => socket.once('close', resolve));
}
