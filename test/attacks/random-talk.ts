/** Connections that say random things: at the start, or once they have logged in. */
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { readyForQuery } from '../../src/wire/backend-messages.ts';
import type { Random } from '../helpers/random.ts';
import { randomFrame } from './random-frames.ts';
import { randomStartup } from './random-startup.ts';

/** How long nothing has come when no more is waited for. */
const quietMs = 30;

/** Chance that a frame is spoilt, and how many are sent: most spoilt ones end the connection. */
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

/** Says random things from the first byte on. Gives how many packets it said. */
export async function talkAtStart(port: number, random: Random): Promise<number> {
  const packets = randomStartup(random);
  const socket = open(port);
  socket.end(Buffer.concat(packets));
  await untilOver(socket, 2000);
  return packets.length;
}

/**
 * Logs in with the given packet, then says random things. Gives how many frames it said, none where the login failed.
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

/** Waits until the other side closes, or nothing has come for so long. */
async function untilOver(socket: Socket, quiet: number): Promise<void> {
  if (socket.destroyed) return;
  if (quiet === 0) socket.destroy();
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.setTimeout(quiet, () => socket.destroy());
  });
}
