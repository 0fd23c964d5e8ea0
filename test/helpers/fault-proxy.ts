/**
 * A proxy between a daemon and PostgreSQL that breaks the path at a chosen word. It goes silent, so that open connections stay open and
 * nothing passes any more, or it cuts the one connection on which the word passed.
 */
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { TestDatabase } from './database.ts';
import { urlThrough } from './database.ts';

/** The moment at which the path breaks: before a message of the daemon passes, or before its response does. */
export interface Moment {
  /** Text in a message of the daemon. */
  readonly word: string;
  /** Text that the same connection must have sent since this moment was awaited. Other connections send `word` too, at any time. */
  readonly after?: string;
  readonly lost: 'message' | 'answer';
}

export interface FaultProxy {
  readonly port: number;
  /** Returns the URL by which a daemon connects to the database through this proxy. */
  urlFor(database: TestDatabase): string;
  /** Goes silent at once, and for new connections from then on. */
  silence(): void;
  /** Goes silent at that moment, and for new connections from then on. Resolves at that moment. */
  silenceAt(moment: Moment): Promise<void>;
  /** Cuts the connection at that moment, and no other. Resolves at that moment. */
  cutAt(moment: Moment): Promise<void>;
  /** Passes new connections again. Those that were open during the silence stay silent. */
  restore(): void;
  stop(): Promise<void>;
}

interface Path {
  readonly client: Socket;
  readonly upstream: Socket;
  silent: boolean;
}

interface Awaited {
  readonly moment: Moment;
  /** The connections that have sent `after`. */
  readonly ripe: WeakSet<Path>;
  readonly come: (path: Path) => void;
}

/**
 * Starts the proxy.
 * @param server where the database is
 */
export async function startFaultProxy(
  server: Pick<TestDatabase, 'host' | 'port'>,
): Promise<FaultProxy> {
  const paths = new Set<Path>();
  let isSilent = false;
  let awaited: Awaited | null = null;
  const fromDaemon = (path: Path, bytes: Buffer) => {
    if (path.silent) return;
    const hit = awaited !== null && isAt(awaited, path, bytes) ? awaited : null;
    if (hit?.moment.lost !== 'message') path.upstream.write(bytes);
    if (hit === null) return;
    awaited = null;
    path.silent = true;
    if (hit.moment.lost === 'message') hit.come(path);
    else path.upstream.once('data', () => hit.come(path));
  };
  const at = (moment: Moment, happens: (path: Path) => void) =>
    new Promise<void>((resolve) => {
      awaited = {
        moment,
        ripe: new WeakSet(),
        come: (path) => {
          happens(path);
          resolve();
        },
      };
    });
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
      // Neither end notices that the other one is gone.
      one.on('close', () => path.silent || other.destroy());
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const silence = () => {
    isSilent = true;
    for (const path of paths) path.silent = true;
  };
  return {
    port,
    silence,
    urlFor: (database) => urlThrough(port, database),
    silenceAt: (moment) => at(moment, silence),
    cutAt: (moment) =>
      at(moment, (path) => {
        path.client.destroy();
        path.upstream.destroy();
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

function isAt({ moment: { word, after }, ripe }: Awaited, path: Path, bytes: Buffer): boolean {
  if (after === undefined || bytes.includes(after)) ripe.add(path);
  return ripe.has(path) && bytes.includes(word);
}
