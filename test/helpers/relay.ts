/** A relay between the daemon and its upstream, which remembers what is sent there. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface Relay {
  readonly url: string;
  /** The messages that a role's connection has sent since they were last asked for. */
  take(role: string): Buffer[];
  stop(): Promise<void>;
}

/** Passes bytes on to the server, and remembers those that go there. */
export async function startRelay(upstream: string): Promise<Relay> {
  const { hostname, port } = new URL(upstream);
  const sockets: Socket[] = [];
  const sent: { role: string; bytes: Buffer }[] = [];
  const server = createServer((socket) => {
    const behind = connect(Number(port), hostname);
    sockets.push(socket, behind);
    const own = { role: '', bytes: Buffer.alloc(0) };
    sent.push(own);
    socket.on('data', (chunk: Buffer) => {
      own.role ||= /user\0([^\0]*)/.exec(chunk.toString('latin1'))?.[1] ?? '';
      own.bytes = Buffer.concat([own.bytes, chunk]);
    });
    for (const [from, to] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(upstream);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    take: (role) => {
      const connection = sent.findLast((each) => each.role === role);
      const bytes = connection?.bytes ?? Buffer.alloc(0);
      if (connection) connection.bytes = Buffer.alloc(0);
      const messages: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + bytes.readUInt32BE(at + 1);
        messages.push(bytes.subarray(at, end));
        at = end;
      }
      return messages;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
