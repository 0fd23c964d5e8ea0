/** Ends clients that vanished, or do not read their pending data: each of them occupies a connection of production. */
import type { Socket } from 'node:net';
import type { TcpEntry } from './tcp-table.ts';
import { readTcpTable } from './tcp-table.ts';

export interface StallMonitor {
  /**
   * Monitors a client.
   * @param onStalled called before the socket is destroyed
   * @returns the function to call when the connection has ended
   */
  add(socket: Socket, onStalled: () => void): () => void;
}

/** A monitored client. */
interface MonitoredClient {
  readonly onStalled: () => void;
  /** The state at the last check, and the time of its last change. */
  seen: string;
  since: number;
}

/** The number of checks within the timeout. */
const checksPerTimeout = 6;

/** Creates the monitor. @param timeoutMs how long a client may read none of its pending data; 0 for no limit */
export function createStallMonitor(timeoutMs: number): StallMonitor {
  const clients = new Map<Socket, MonitoredClient>();
  let timer: NodeJS.Timeout | undefined;
  const interval = Math.max(1, Math.floor(timeoutMs / checksPerTimeout));
  const schedule = () => {
    if (timeoutMs === 0) return;
    timer = setTimeout(() => void check(), interval).unref();
  };
  const check = async () => {
    const table = await readTcpTable();
    const now = performance.now();
    for (const [socket, client] of clients) {
      const entry = table?.(socket);
      if (isHealthy(socket, entry, table !== null) || hasMoved(socket, entry, client)) {
        client.since = now;
      } else if (now - client.since > timeoutMs - interval) {
        client.onStalled();
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

/** Returns whether no data is pending for the client and its connection is open. Such a client may stay idle. */
function isHealthy(socket: Socket, entry: TcpEntry | undefined, isKnown: boolean): boolean {
  if (socket.writableLength > 0) return false;
  if (!isKnown) return true;
  // an active reader of the socket notices its close
  const isHeard = !socket.isPaused();
  return (entry?.unacknowledged ?? 0) === 0 && (isHeard || entry?.isEstablished === true);
}

/** Returns whether the client has read or sent anything since the last check. */
function hasMoved(socket: Socket, entry: TcpEntry | undefined, client: MonitoredClient): boolean {
  const { bytesRead, bytesWritten, writableLength } = socket;
  const seen = [bytesRead, bytesWritten, writableLength, entry?.unacknowledged].join(' ');
  const hasChanged = seen !== client.seen;
  client.seen = seen;
  return hasChanged;
}
