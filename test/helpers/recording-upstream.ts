/** A proxy between a daemon and PostgreSQL that passes every byte, and records each text that clients' connections send. */
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { TestDatabase } from './database.ts';
import { urlThrough } from './database.ts';

export interface RecordingUpstream {
  /** Returns the URL by which the daemon connects to the database through this proxy. */
  urlFor(database: TestDatabase): string;
  /**
   * Returns the texts of Query and Parse messages since the last call, each once. A text that the service prepared only to learn the types
   * of its parameters is left out, unless it was executed.
   */
  take(): string[];
  stop(): Promise<void>;
}

/**
 * Starts the proxy.
 * @param server where the database is
 */
export async function startRecordingUpstream(
  server: Pick<TestDatabase, 'host' | 'port'>,
): Promise<RecordingUpstream> {
  const texts = new Set<string>();
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: server.host, port: server.port, noDelay: true });
    const reader = new TextReader(texts);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes: Buffer) => reader.read(bytes));
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  return {
    urlFor: (database) => urlThrough(port, database),
    take: () => {
      const taken = [...texts];
      texts.clear();
      return taken;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

const types = { query: 'Q', parse: 'P' } as const;

/** Parses the messages that a client sends. It recognizes the service account's own connections by their application name. */
class TextReader {
  private readonly texts: Set<string>;
  private rest: Buffer = Buffer.alloc(0);
  private phase: 'startup' | 'recorded' | 'passed' = 'startup';

  constructor(texts: Set<string>) {
    this.texts = texts;
  }

  read(bytes: Buffer): void {
    if (this.phase === 'passed') return;
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    if (this.phase === 'startup' && !this.readStartup()) return;
    while (this.rest.length >= 5) {
      const end = 1 + this.rest.readUInt32BE(1);
      if (this.rest.length < end) return;
      this.readMessage(this.rest[0] ?? 0, this.rest.subarray(5, end));
      this.rest = this.rest.subarray(end);
    }
  }

  private readStartup(): boolean {
    if (this.rest.length < 4 || this.rest.length < this.rest.readUInt32BE(0)) return false;
    const packet = this.rest.subarray(0, this.rest.readUInt32BE(0)).toString();
    this.rest = this.rest.subarray(this.rest.readUInt32BE(0));
    this.phase = packet.includes('\0application_name\0stage\0') ? 'passed' : 'recorded';
    return this.phase === 'recorded';
  }

  private readMessage(type: number, payload: Buffer): void {
    const [first = '', second = ''] = payload.toString().split('\0');
    const letter = String.fromCharCode(type);
    if (letter === types.query) this.texts.add(first);
    if (letter === types.parse) this.texts.add(second);
  }
}
