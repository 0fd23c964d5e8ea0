/** Reads the state of TCP connections that Linux exposes and Node.js does not: unacknowledged bytes, and whether the peer has left. */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { isIPv4 } from 'node:net';

export interface TcpEntry {
  /** Whether both sides of the connection are open. */
  readonly isEstablished: boolean;
  /** The number of bytes that were sent, or wait in the kernel, and are not acknowledged. */
  readonly unacknowledged: number;
}

/** Returns the entry of a connection, or undefined when the kernel has none. */
export type TcpTable = (socket: Socket) => TcpEntry | undefined;

const established = 0x01;

/** Reads the tables of IPv4 and IPv6. Returns null when they are not available. */
export async function readTcpTable(): Promise<TcpTable | null> {
  try {
    const texts = await Promise.all(
      ['/proc/self/net/tcp', '/proc/self/net/tcp6'].map((path) =>
        readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
          // a kernel without IPv6 has no table for it
          if (path.endsWith('6') && error.code === 'ENOENT') return '';
          throw error;
        }),
      ),
    );
    const entries = new Map(texts.flatMap((text) => text.split('\n').slice(1).flatMap(readLine)));
    return (socket) => entries.get(keyOf(socket));
  } catch {
    return null;
  }
}

/** Matches a line: number, local and remote address, state, bytes to send and to receive, ... */
const line =
  /^\s*\d+: [\dA-F]+:([\dA-F]{4}) ([\dA-F]+):([\dA-F]{4}) ([\dA-F]{2}) ([\dA-F]{8}):[\dA-F]{8} /;

function readLine(text: string): [string, TcpEntry][] {
  const [, localPort, address, remotePort, state, queue] = line.exec(text) ?? [];
  if (localPort === undefined) return [];
  const entry = {
    isEstablished: Number.parseInt(state as string, 16) === established,
    unacknowledged: Number.parseInt(queue as string, 16),
  };
  return [[`${localPort} ${plain(address as string)} ${remotePort}`, entry]];
}

/** Removes the prefix of an IPv4 address in the IPv6 table. */
function plain(address: string): string {
  return address.replace(/^0000000000000000FFFF0000/, '');
}

function keyOf({ localPort = 0, remotePort = 0, remoteAddress = '' }: Socket): string {
  return `${hex(localPort)} ${plain(hexAddress(remoteAddress))} ${hex(remotePort)}`;
}

const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');

/** Formats an address as the kernel prints it: words of four bytes, each in reverse order. */
function hexAddress(address: string): string {
  const bytes = isIPv4(address) ? bytesOf4(address) : bytesOf6(address);
  const words = Array.from({ length: bytes.length / 4 }, (_, index) =>
    bytes.slice(index * 4, index * 4 + 4).reverse(),
  );
  return Buffer.from(words.flat()).toString('hex').toUpperCase();
}

function bytesOf4(address: string): number[] {
  return address.split('.').map(Number);
}

function bytesOf6(address: string): number[] {
  const [bare = ''] = address.split('%');
  const last = bare.slice(bare.lastIndexOf(':') + 1);
  const tail = isIPv4(last) ? bytesOf4(last) : [];
  const groups = tail.length > 0 ? bare.slice(0, bare.lastIndexOf(':')) : bare;
  const [head = '', rest] = groups.split('::');
  const [before, after] = [bytesOfGroups(head), bytesOfGroups(rest ?? '')];
  const missing = Math.max(0, 16 - before.length - after.length - tail.length);
  return [...before, ...Array<number>(missing).fill(0), ...after, ...tail];
}

function bytesOfGroups(text: string): number[] {
  return text
    .split(':')
    .filter(Boolean)
    .flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    });
}
