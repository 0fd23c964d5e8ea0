/** Admits connections within limits: in total, per address, and on those that have sent nothing yet. */
import type { Socket } from 'node:net';
import { StageError } from '../errors.ts';

export interface AdmissionLimits {
  readonly total: () => number;
  /** Null for no limit except the total. */
  readonly perAddress: number | null;
  /** Limit on connections that have not sent their first packet. Beyond it, the oldest one is closed. */
  readonly silent: number;
}

export interface Admission {
  /** Registers an accepted connection. Newer ones may cause its destruction until the returned function is called. */
  arrive(socket: Socket): () => void;
  /**
   * Admits a connection that wants to log in.
   * @returns the function to call when the connection has ended
   * @throws StageError `too_many_connections`
   */
  admit(address: string): () => void;
}

export function createAdmission(limits: AdmissionLimits): Admission {
  const silent = new Set<Socket>();
  const perAddress = new Map<string, number>();
  let total = 0;
  return {
    arrive: (socket) => {
      silent.add(socket);
      // guard: the number of silent connections is limited
      if (silent.size > limits.silent) evictOldest(silent);
      const leave = () => silent.delete(socket);
      socket.once('close', leave);
      return leave;
    },
    admit: (address) => {
      const here = perAddress.get(address) ?? 0;
      const most = limits.total();
      // guard: connections are limited in total
      if (total >= most) throw tooMany('too many connections', most);
      // guard: connections are limited for each address
      if (limits.perAddress !== null && here >= limits.perAddress)
        throw tooMany('too many connections from this address', limits.perAddress);
      total += 1;
      perAddress.set(address, here + 1);
      return () => {
        total -= 1;
        const left = (perAddress.get(address) ?? 1) - 1;
        if (left > 0) perAddress.set(address, left);
        else perAddress.delete(address);
      };
    },
  };
}

function evictOldest(silent: Set<Socket>): void {
  const [oldest] = silent;
  if (oldest === undefined) return;
  silent.delete(oldest);
  oldest.destroy();
}

function tooMany(message: string, limit: number): StageError {
  return new StageError('too_many_connections', message, {
    hint: `Close connections that are not needed, or raise the limit of the staging service, which is ${limit}.`,
  });
}
