/**
 * Reads sockets into memory that they share. By itself Node takes 64 KB of new memory for each piece that arrives, which is a sixth of
 * what a short read costs the proxy.
 */
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const readBytes = 65_536;

/** A piece of more than this is not copied, but handed over with the memory that it was read into. */
const copyBytes = readBytes / 2;

const shared = Buffer.allocUnsafeSlow(readBytes);

/**
 * Where Node keeps what the option `onread` of a new socket asks for. A socket that a server has accepted cannot be given the option,
 * and one that has logged in is not new any more.
 */
const places = placesOf(
  new Socket({ onread: { buffer: shared, callback: () => true } } as ConstructorParameters<
    typeof Socket
  >[0]),
);

/** By this name the inside of a socket is told where to read. */
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

/** The inside of a socket, as `onread` uses it. */
interface Inside {
  readonly _handle?: { [giveBuffer]?: (buffer: Buffer) => void } | null;
  [place: symbol]: unknown;
}

/**
 * Gives all that arrives to a function, which may keep it. The socket must be paused, and stays so.
 * @returns whether it is read into shared memory. Encrypted sockets are not, for they would go on with what is decrypted while they
 *   are paused; nor is any in a version of Node that keeps the insides of sockets elsewhere
 */
export function readPieces(socket: Socket, take: (piece: Buffer) => void): boolean {
  // what Node has read ahead; all of it where there is no other way
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
    // where much arrives, the next piece is read into memory of its own, and goes with it
    next = isLarge ? Buffer.allocUnsafeSlow(readBytes) : shared;
    take(isLarge && buffer !== shared ? read : Buffer.from(read));
    return true;
  };
  inside[places.next] = () => next;
  handle[giveBuffer](next);
  // stops Node reading ahead, which it has been told nothing about so far
  socket.pause();
  return true;
}
