/** A TCP path that breaks, or becomes slow, at a chosen byte, between clients and a daemon, or between a daemon and PostgreSQL. */
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export const tears = ['cut', 'reset', 'halves', 'slices', 'delay'] as const;
/** Slow enough for people to notice: every message three seconds late; one kilobyte per second. */
export const crawls = ['late', 'trickle'] as const;
/** In order: closed in the middle of a message; the same with RST; every message in two halves; in single bytes; a little late; a crawl. */
export type Tear = (typeof tears)[number] | (typeof crawls)[number];

export interface TornLink {
  readonly port: number;
  /** Breaks from the given byte on, counted over all connections from now on: one connection is cut, or all are slow. */
  tearAt(tear: Tear, byte: number): void;
  /** Passes all bytes at once again. Returns how many bytes have passed since the last call. */
  mend(): number;
  stop(): Promise<void>;
}

/** The delay of each part, if it is not 10 ms. */
const betweenMs: Readonly<Partial<Record<Tear, number>>> = { slices: 0, late: 3000, trickle: 100 };
const trickleBytes = 100;
/** How many bytes of a message come singly. The rest follows at once. */
const slices = 200;

/**
 * Starts the path.
 * @param to the server that it leads to
 */
export async function startTornLink(to: {
  readonly host: string;
  readonly port: number;
}): Promise<TornLink> {
  const sockets = new Set<Socket>();
  let passed = 0;
  let torn: { readonly tear: Tear; readonly byte: number } | null = null;

  /** Passes bytes on; returns false if the connection must be cut. */
  async function pass(bytes: Buffer, target: Socket): Promise<boolean> {
    const from = passed;
    passed += bytes.length;
    if (torn === null || passed <= torn.byte) return target.write(bytes) || true;
    const { tear, byte } = torn;
    if (tear === 'cut' || tear === 'reset') {
      torn = null;
      target.write(bytes.subarray(0, Math.max(0, byte - from)));
      return false;
    }
    for (const part of partsOf(tear, bytes)) {
      await delay(torn?.tear === tear ? (betweenMs[tear] ?? 10) : 0);
      target.write(part);
    }
    return true;
  }

  const listener = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...to, noDelay: true });
    const ends = [
      [client, upstream],
      [upstream, client],
    ] as const;
    for (const [one, other] of ends) {
      sockets.add(one);
      let passing = Promise.resolve();
      const end = (tear?: Tear) => {
        for (const socket of [client, upstream])
          if (tear === 'reset') socket.resetAndDestroy();
          else socket.destroySoon();
      };
      one.on('data', (bytes: Buffer) => {
        const tear = torn?.tear;
        passing = passing.then(async () => {
          if (!(await pass(bytes, other))) end(tear);
        });
      });
      one.on('error', () => undefined);
      // Bytes on their way arrive first.
      one.on('close', () => {
        sockets.delete(one);
        void passing.then(() => other.destroySoon());
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    tearAt: (tear, byte) => {
      passed = 0;
      torn = { tear, byte };
    },
    mend: () => {
      const bytes = passed;
      passed = 0;
      torn = null;
      return bytes;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

function partsOf(tear: Tear, bytes: Buffer): Buffer[] {
  if (tear === 'delay' || tear === 'late') return [bytes];
  if (tear === 'trickle') {
    const parts = Math.ceil(bytes.length / trickleBytes);
    return Array.from({ length: parts }, (_, part) =>
      bytes.subarray(part * trickleBytes, (part + 1) * trickleBytes),
    );
  }
  if (tear === 'halves') {
    const middle = Math.ceil(bytes.length / 2);
    return [bytes.subarray(0, middle), bytes.subarray(middle)];
  }
  const single = Array.from(bytes.subarray(0, slices), (byte) => Buffer.from([byte]));
  return [...single, bytes.subarray(slices)];
}
