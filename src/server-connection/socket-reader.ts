/**
 * Reads sockets into shared memory. By default Node allocates 64 KB for each chunk that arrives, which accounts for a sixth of the proxy's
 * cost of a short read.
 */
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const readBytes = 65_536;

/** Larger chunks are not copied, but handed over with the memory that they were read into. */
const copyBytes = readBytes / 2;

const shared = Buffer.allocUnsafeSlow(readBytes);

/**
 * The symbols under which Node stores the option `onread` of a new socket. The option cannot be set on a socket that a server has accepted,
 * nor later on an existing one.
 */
const places = placesOf(
  new Socket({ onread: { buffer: shared, callback: () => true } } as ConstructorParameters<
    typeof Socket
  >[0]),
);

/** The method of a socket's handle that sets the buffer to read into. */
const giveBuffer = 'useUserBuffer';

interface Places {
  readonly buffer: symbol;
  readonly callback: symbol;
  readonly next: symbol;
}

function placesOf(socket: Socket): Places | null {
  const symbols = Object.getOwnPropertySymbols(socket);
  const [buffer, callback, next] = ['kBuffer', 'kBufferCb', 'kBufferGen'].map((name) =>
    symbols.find(({ description }) => description === name),
  );
  return buffer && callback && next ? { buffer, callback, next } : null;
}

/** The private fields of a socket that `onread` uses. */
interface Inside {
  readonly _handle?: { [giveBuffer]?: (buffer: Buffer) => void } | null;
  [place: symbol]: unknown;
}

/**
 * Passes all received data to a function, which may retain it. The socket must be paused, and remains so.
 * @returns whether it is read into shared memory. That is false for encrypted sockets, which would continue to deliver decrypted data while
 *   paused, and for a version of Node with other private fields
 */
export function readPieces(socket: Socket, take: (piece: Buffer) => void): boolean {
  // data that Node has read ahead; all data when shared memory is not possible
  socket.on('data', take);
  if (socket instanceof TLSSocket) return false;
  const inside = socket as unknown as Inside;
  const handle = inside._handle;
  if (places === null || !handle?.[giveBuffer]) return false;
  let next = shared;
  inside[places.buffer] = next;
  inside[places.callback] = (size: number, buffer: Buffer) => {
    const read = buffer.subarray(0, size);
    const isLarge = size > copyBytes;
    // after a large chunk the next one is read into memory of its own, which is handed over with it
    next = isLarge ? Buffer.allocUnsafeSlow(readBytes) : shared;
    take(isLarge && buffer !== shared ? read : Buffer.from(read));
    return true;
  };
  inside[places.next] = () => next;
  handle[giveBuffer](next);
  // stops Node's own reading, which still ignores the new buffer
  socket.pause();
  return true;
}
