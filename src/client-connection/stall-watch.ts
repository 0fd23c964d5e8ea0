/** Ends clients that are gone without a word, or take nothing of what waits for them: each holds a connection of production. */
import type { Socket } from 'node:net';
import type { TcpEntry } from './tcp-table.ts';
import { readTcpTable } from './tcp-table.ts';

export interface StallWatch {
  /**
   * Watches a client.
   * @param onStalled told before its socket is destroyed
   * @returns what to call when it has ended
   */
  add(socket: Socket, onStalled: () => void): () => void;
}

/** A client under watch. */
interface Watched {
  readonly onStalled: () => void;
  /** What was seen of it last, and since when nothing of that has changed. */
  seen: string;
  since: number;
}

/** Looks so often within the time that a client has. */
const looks = 6;

/** @param timeoutMs how long a client may take nothing; 0 for ever */
export function createStallWatch(timeoutMs: number): StallWatch {
  const clients = new Map<Socket, Watched>();
  let timer: NodeJS.Timeout | undefined;
  const interval = Math.max(1, Math.floor(timeoutMs / looks));
  const schedule = () => {
    if (timeoutMs === 0) return;
    timer = setTimeout(() => void look(), interval).unref();
  };
  const look = async () => {
    const table = await readTcpTable();
    const now = performance.now();
    for (const [socket, watched] of clients) {
      const entry = table?.(socket);
      if (isHealthy(socket, entry, table !== null) || hasMoved(socket, entry, watched)) {
        watched.since = now;
      } else if (now - watched.since > timeoutMs - interval) {
        watched.onStalled();
        socket.destroy();
      }
    }
    timer = undefined;
    if (clients.size > 0) schedule();
  };
  return {
    add: (socket, onStalled) => {
      clients.set(socket, { onStalled, seen: '', since: performance.now() });
      if (timer === undefined) schedule();
      return () => clients.delete(socket);
    },
  };
}

/** Whether nothing waits for the client, and it is there: it may take its time, then. */
function isHealthy(socket: Socket, entry: TcpEntry | undefined, isKnown: boolean): boolean {
  if (socket.writableLength > 0) return false;
  if (!isKnown) return true;
  // that it has left is heard by whoever reads
  const isHeard = !socket.isPaused();
  return (entry?.unacknowledged ?? 0) === 0 && (isHeard || entry?.isEstablished === true);
}

/** Whether the client has taken, or sent, anything since the last look. */
function hasMoved(socket: Socket, entry: TcpEntry | undefined, watched: Watched): boolean {
  const { bytesRead, bytesWritten, writableLength } = socket;
  const seen = [bytesRead, bytesWritten, writableLength, entry?.unacknowledged].join(' ');
  const hasChanged = seen !== watched.seen;
  watched.seen = seen;
  return hasChanged;
}
