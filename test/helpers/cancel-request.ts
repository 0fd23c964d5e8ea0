/** A cancel request, as a client's library sends it: on a connection of its own. */
import { connect } from 'node:net';
import type pg from 'pg';

/** Sends it for what a client runs, and resolves when its connection is closed. */
export async function sendCancel(client: pg.Client, port: number): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const packet = Buffer.alloc(16);
  for (const [index, value] of [16, 80_877_102, processID, secretKey].entries())
    packet.writeInt32BE(value, index * 4);
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  // as libpq does it: who ends the connection itself knows of nothing
  socket.resume().write(packet);
  await new Promise((resolve) => socket.once('close', resolve));
}
