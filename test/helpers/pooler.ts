/** A minimal pooler in transaction mode: clients share a few backends, one transaction at a time. */
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import pg from 'pg';

export interface Pooler {
  readonly port: number;
  stop(): Promise<void>;
}

interface Backend {
  readonly socket: Socket;
  user: Socket | null;
  unread: Buffer;
}

/** Starts a pooler with two backends. It requires no password, and drops every start-up setting of its clients. */
export async function startPooler(url: string): Promise<Pooler> {
  const clients = [await logIn(url), await logIn(url)];
  const idle: Backend[] = clients.map(({ socket }) => ({ socket, user: null, unread: empty }));
  const all = [...idle];
  for (const backend of all) {
    backend.socket.on('data', (chunk: Buffer) => {
      backend.user?.write(chunk);
      if (endsTransaction(backend, chunk)) {
        backend.user = null;
        idle.push(backend);
      }
    });
  }
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(welcome);
      socket.on('data', (chunk: Buffer) => {
        if (chunk[0] === 0x58) return socket.end(); // Terminate is for the pooler.
        const mine = all.find(({ user }) => user === socket) ?? idle.pop();
        if (mine) mine.user = socket;
        return mine?.socket.write(chunk);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      for (const { socket } of clients) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const empty = Buffer.alloc(0);

/** AuthenticationOk, BackendKeyData, ReadyForQuery. */
const welcome = Buffer.from(
  '520000000800000000' + '4b0000000c0000000100000002' + '5a0000000549',
  'hex',
);

async function logIn(url: string): Promise<{ socket: Socket }> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const socket = (client as unknown as { connection: { stream: Socket } }).connection.stream;
  socket.removeAllListeners('data');
  socket.removeAllListeners('close');
  return { socket };
}

/** Returns whether the last message received is a ReadyForQuery outside of a transaction. */
function endsTransaction(backend: Backend, chunk: Buffer): boolean {
  let unread = Buffer.concat([backend.unread, chunk]);
  let ended = false;
  while (unread.length >= 5 && unread.length > unread.readUInt32BE(1)) {
    const end = unread.readUInt32BE(1) + 1;
    ended = unread[0] === 0x5a && unread[5] === 0x49;
    unread = unread.subarray(end);
  }
  backend.unread = unread;
  return ended;
}
