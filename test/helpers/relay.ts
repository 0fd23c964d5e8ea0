/** A database behind a daemon, with a relay between them that records what is sent to the database. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { TestDaemon } from './daemon.ts';
import { startTestDaemon } from './daemon.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';
import type { TestRole } from './roles.ts';
import { createRole } from './roles.ts';
import type { WireClient } from './wire-script.ts';
import { connectWire } from './wire-script.ts';

export interface Relayed {
  readonly database: TestDatabase;
  readonly relay: Relay;
  readonly daemon: TestDaemon;
  /** A role that may read the tables of the schema. */
  readonly reader: TestRole;
  /** Connects the reader to a session; to a new one by default. */
  connect(session?: string): Promise<WireClient>;
  stop(): Promise<void>;
}

/**
 * Starts everything on a new database.
 * @param schema run on the database
 */
export async function startRelayed(schema: string): Promise<Relayed> {
  const database = await createTestDatabase({ template: 'migrated' });
  await database.query(schema);
  const reader = await createRole(database, 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role');
  const relay = await startRelay(database.url);
  const daemon = await startTestDaemon({ database, flags: { upstream: relay.url } });
  return {
    ...{ database, relay, daemon, reader },
    connect: async (session) =>
      connectWire(
        daemon.clientUrl(session ?? (await daemon.newSession()), reader.name, reader.name),
      ),
    stop: async () => {
      await daemon.stop();
      await relay.stop();
      await reader.drop();
      await database.drop();
    },
  };
}

interface Relay {
  readonly url: string;
  /** Returns the messages that a role's connection has sent since the last call. */
  take(role: string): Buffer[];
  /** Holds what the server sends on that connection. Returns the function that lets it pass. */
  hold(role: string): () => void;
  stop(): Promise<void>;
}

/** Starts a relay that passes bytes both ways, and records those for the server. */
async function startRelay(upstream: string): Promise<Relay> {
  const { hostname, port } = new URL(upstream);
  const sockets: Socket[] = [];
  const sent: { role: string; bytes: Buffer; socket: Socket; behind: Socket }[] = [];
  const server = createServer((socket) => {
    const behind = connect(Number(port), hostname);
    sockets.push(socket, behind);
    const own = { role: '', bytes: Buffer.alloc(0), socket, behind };
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
    hold: (role) => {
      const connection = sent.findLast((each) => each.role === role);
      if (!connection) throw new Error(`${role} has no connection`);
      connection.behind.unpipe(connection.socket);
      return () => void connection.behind.pipe(connection.socket);
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
