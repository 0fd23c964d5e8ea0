/** Random bytes in the form of client messages, or nearly so. */
import type { Random } from '../helpers/random.ts';
import { b, c, d, e, h, p, q, run, s } from '../helpers/wire-script.ts';

const texts = [
  'SELECT 1',
  'BEGIN',
  'COMMIT',
  'ROLLBACK',
  'SELECT id FROM item',
  `UPDATE item SET name = 'x' WHERE id = 1`,
  'INSERT INTO item VALUES ($1, $2)',
  'COPY item FROM STDIN',
  'COPY item TO STDOUT',
  'PREPARE w AS DELETE FROM item',
  'EXECUTE w',
  'DECLARE c CURSOR FOR SELECT 1',
  'FETCH c',
  'SELECT 1; SELECT 2',
  'SELEC',
  '',
];

/** Types of messages of both sides, and bytes that are not types. */
const types = Buffer.from('QPBDECSHFXdcfpZTCKRSNAGWVtn123sI\0\xff aé', 'latin1');

/** Returns a valid client message. */
function wellFormed(random: Random): Buffer {
  const text = random.pick(texts);
  const name = random.pick(['', '', 'a', 'w', '_stage_step']);
  return random.pick([
    () => q(text),
    () => p(text, name),
    () => b(random.chance(0.5) ? [] : ['1', null], name, random.pick(['', 'p'])),
    () => d(random.pick(['statement', 'portal']), name),
    () => e(random.below(3), random.pick(['', 'p'])),
    () => c(random.pick(['statement', 'portal']), name),
    () => s,
    () => h,
    () => run(text),
    () => frame('d'.charCodeAt(0), bytes(random, random.below(20))),
    () => frame('c'.charCodeAt(0), Buffer.alloc(0)),
    () => frame('f'.charCodeAt(0), Buffer.from('stop\0')),
  ])();
}

/** Returns a client message, corrupted with the given probability. */
export function randomFrame(random: Random, spoiling: number): Buffer {
  const whole = wellFormed(random);
  return random.chance(spoiling) ? spoilt(random, whole) : whole;
}

/** Returns a message that is damaged, truncated or has a wrong length, or something else in its place. */
export function spoilt(random: Random, whole: Buffer): Buffer {
  return random.pick([
    () => frame(random.pick([...types]), bytes(random, random.below(40))),
    () => changed(random, whole),
    () => whole.subarray(0, random.below(whole.length + 1)),
    () => Buffer.concat([whole, bytes(random, random.below(8))]),
    () => lying(random, whole),
    () => bytes(random, 1 + random.below(30)),
  ])();
}

export function frame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(type, 0);
  head.writeInt32BE(payload.length + 4, 1);
  return Buffer.concat([head, payload]);
}

export function bytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

export function changed(random: Random, whole: Buffer): Buffer {
  const copy = Buffer.from(whole);
  if (copy.length === 0) return copy;
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    copy[random.below(copy.length)] = random.below(256);
  }
  return copy;
}

function lying(random: Random, whole: Buffer): Buffer {
  const copy = Buffer.from(whole);
  if (copy.length < 5) return copy;
  copy.writeUInt32BE(random.pick([0, 1, 3, 4, 5, 100, 0x7fffffff, 0x80000000, 0xffffffff]), 1);
  return copy;
}
