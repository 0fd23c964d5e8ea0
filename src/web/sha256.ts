/**
 * Replaces the client's module of this name in browsers, whose own SHA-256 is asynchronous and needs TLS.
 * https://csrc.nist.gov/pubs/fips/180-4/upd1/final
 */

const primes = [...firstPrimes(64)];
/** Returns the first 32 bits of the fractional part. */
const fractionOf = (root: number) => ((root % 1) * 2 ** 32) | 0;
const rounds = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));
const start = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));

/** Returns the hash as sha256sum prints it. @param hex the bytes in hexadecimal digits */
export function sha256(hex: string): string {
  const blocks = padded(hex);
  const state = start.slice();
  for (let at = 0; at < blocks.byteLength; at += 64) mix(state, blocks, at);
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Pads the bytes to whole blocks: a one bit, zeros, and the number of bits. */
function padded(hex: string): DataView {
  const length = hex.length / 2;
  const bytes = new Uint8Array(Math.ceil((length + 9) / 64) * 64);
  for (let at = 0; at < length; at += 1) bytes[at] = Number.parseInt(hex.substr(at * 2, 2), 16);
  bytes[length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(bytes.length - 8, BigInt(length) * 8n);
  return view;
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));
const schedule = new Int32Array(64);

function mix(state: Int32Array, blocks: DataView, at: number): void {
  const w = schedule;
  for (let i = 0; i < 16; i += 1) w[i] = blocks.getInt32(at + i * 4);
  for (let i = 16; i < 64; i += 1) {
    const [x, y] = [w[i - 15] as number, w[i - 2] as number];
    const low = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const high = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[i] = (w[i - 16] as number) + low + (w[i - 7] as number) + high;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Word8;
  for (let i = 0; i < 64; i += 1) {
    const high = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first = (h + high + chosen + (rounds[i] as number) + (w[i] as number)) | 0;
    const low = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const most = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + low + most) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries())
    state[i] = (state[i] as number) + word;
}

type Word8 = [number, number, number, number, number, number, number, number];

function* firstPrimes(count: number): Generator<number> {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1) {
    if (found.some((prime) => next % prime === 0)) continue;
    found.push(next);
    yield next;
  }
}
