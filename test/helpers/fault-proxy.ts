/** Stands between a daemon and PostgreSQL, and goes silent at a chosen word: open connections stay open, and nothing passes any more. */
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { TestDatabase } from './database.ts';

/** Where the path breaks: before a message of the daemon gets through, or before its answer does. */
export interface Moment {
  /** A text in a message of the daemon. */
  readonly word: string;
  readonly lost: 'message' | 'answer';
}

export interface FaultProxy {
  /** The URL by which a daemon reaches the database through here. */
  urlFor(database: TestDatabase): string;
  /** Goes silent at that moment, and on new connections from then on; resolves when it has come. */
  silenceAt(moment: Moment): Promise<void>;
  /** Lets new connections through again. Those that were open in the silence never come back. */
  restore(): void;
  stop(): Promise<void>;
}

interface Path {
  readonly client: Socket;
  readonly upstream: Socket;
  silent: boolean;
}

/** @param server where the database is */
export async function startFaultProxy(
  server: Pick<TestDatabase, 'host' | 'port'>,
): Promise<FaultProxy> {
  const paths = new Set<Path>();
  let isSilent = false;
  let awaited: { readonly moment: Moment; readonly come: () => void } | null = null;
  const silence = () => {
    isSilent = true;
    for (const path of paths) path.silent = true;
    awaited?.come();
    awaited = null;
  };
  const fromDaemon = (path: Path, bytes: Buffer) => {
    const hit = !path.silent && awaited !== null && bytes.includes(awaited.moment.word);
    const passes = !hit || awaited?.moment.lost === 'answer';
    if (!path.silent && passes) path.upstream.write(bytes);
    if (hit) silence();
  };
  const listener = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: server.host, port: server.port, noDelay: true });
    const path = { client, upstream, silent: isSilent };
    paths.add(path);
    client.on('data', (bytes: Buffer) => fromDaemon(path, bytes));
    upstream.on('data', (bytes: Buffer) => path.silent || client.write(bytes));
    const ends = [
      [client, upstream],
      [upstream, client],
    ] as const;
    for (const [one, other] of ends) {
      one.on('error', () => undefined);
      // neither end learns that the other one is gone
      one.on('close', () => path.silent || other.destroy());
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  return {
    urlFor: (database) => {
      const url = new URL(database.url);
      url.host = `127.0.0.1:${port}`;
      url.searchParams.set('sslmode', 'disable');
      return url.href;
    },
    silenceAt: (moment) =>
      new Promise((come) => {
        awaited = { moment, come };
      }),
    restore: () => {
      isSilent = false;
    },
    stop: async () => {
      for (const { client, upstream } of paths) for (const end of [client, upstream]) end.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
