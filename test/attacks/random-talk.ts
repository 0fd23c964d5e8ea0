/** Connections that send random bytes: at the start, or after login. */
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { readyForQuery } from '../../src/wire/backend-messages.ts';
import type { Random } from '../helpers/random.ts';
import { randomFrame } from './random-frames.ts';
import { randomStartup } from './random-startup.ts';

/** The time without received bytes after which no more are expected. */
const quietMs = 30;

/** The probability that a frame is corrupted, and the number of frames. Most corrupted ones end the connection. */
const talks = [
  { spoiling: 0.4, length: 60 },
  { spoiling: 0.02, length: 200 },
  { spoiling: 0.002, length: 500 },
];

export interface Talk {
  readonly frames: number;
  readonly bytes: Buffer;
}

export function randomTalk(random: Random): Talk {
  const { spoiling, length } = random.pick(talks);
  const frames = Array.from({ length }, () => randomFrame(random, spoiling));
  return { frames: length, bytes: Buffer.concat(frames) };
}

/** Sends random packets from the first byte on. Returns their number. */
export async function talkAtStart(port: number, random: Random): Promise<number> {
  const packets = randomStartup(random);
  const socket = open(port);
  socket.end(Buffer.concat(packets));
  await untilOver(socket, 2000);
  return packets.length;
}

/**
 * Logs in with the given packet, then sends random frames. Returns their number; 0 if the login failed.
 * @param patience how long the login may take
 */
export async function talkAfterLogin(
  port: number,
  startup: Buffer,
  random: Random,
  patience = 1000,
): Promise<number> {
  const socket = open(port);
  socket.write(startup);
  const isIn = await new Promise<boolean>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      if (chunk.subarray(-6).equals(readyForQuery('I'))) resolve(true);
    });
    socket.once('close', () => resolve(false));
    socket.setTimeout(patience, () => resolve(false));
  });
  const { frames, bytes } = randomTalk(random);
  const cut = random.chance(0.5) ? bytes.length : random.below(bytes.length);
  if (isIn) {
    socket.write(bytes.subarray(0, cut));
    socket.write(bytes.subarray(cut));
  }
  await untilOver(socket, isIn ? quietMs : 0);
  return isIn ? frames : 0;
}

function open(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  return socket.on('error', () => undefined).on('data', () => undefined);
}

/** Waits until the other side closes, or nothing has arrived for `quiet` milliseconds. */
async function untilOver(socket: Socket, quiet: number): Promise<void> {
  if (socket.destroyed) return;
  if (quiet === 0) socket.destroy();
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.setTimeout(quiet, () => socket.destroy());
  });
}
