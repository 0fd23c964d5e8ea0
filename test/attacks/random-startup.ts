/** Random packets in the form of start-up packets, or nearly so. */
import { cancelRequest, sslRequest, startupMessage } from '../../src/wire/startup.ts';
import type { Random } from '../helpers/random.ts';
import { bytes, changed, randomFrame } from './random-frames.ts';

const names = ['user', 'database', 'options', 'service_session', 'replication', 'role', '_pq_.x'];
const values = ['u', 'd', '', '-c service_session=x', '-c a=b -c=', 'sess_0', 'true', '\\', 'é'];
const gssRequest = Buffer.from('0000000804d21630', 'hex');

/** Returns consecutive packets, of a client that waits for no response. */
export function randomStartup(random: Random): Buffer[] {
  const count = 1 + random.below(4);
  return Array.from({ length: count }, (_, index) =>
    index > 0 && random.chance(0.3) ? randomFrame(random, 0.5) : packet(random),
  );
}

function packet(random: Random): Buffer {
  const whole = random.pick([
    () => sslRequest,
    () => gssRequest,
    () => cancelRequest({ processId: random.below(9), secret: bytes(random, random.below(40)) }),
    () => startup(random),
    () => startup(random),
    () => startup(random),
  ])();
  if (random.chance(0.4)) return whole;
  return random.pick([
    () => changed(random, whole),
    () => whole.subarray(0, random.below(whole.length)),
    () => Buffer.concat([whole, bytes(random, random.below(9))]),
    () => bytes(random, 1 + random.below(60)),
    () => lying(random, whole),
  ])();
}

function startup(random: Random): Buffer {
  const parameters = Array.from(
    { length: random.below(6) },
    () => [random.pick(names), random.pick(values)] as const,
  );
  return startupMessage(parameters);
}

function lying(random: Random, whole: Buffer): Buffer {
  const copy = Buffer.from(whole);
  copy.writeUInt32BE(random.pick([0, 3, 4, 7, 8, 9, 10_000, 10_001, 0x7fffffff, 0xffffffff]), 0);
  return copy;
}
