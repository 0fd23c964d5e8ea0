/** SIGTERM and SIGINT: the first stops the daemon gracefully, the second at once. SIGHUP has it read its tokens again. */
import type { Log } from '../log.ts';

const exitCodes = { SIGTERM: 143, SIGINT: 130 } as const;
type Signal = keyof typeof exitCodes;

/** The part of `process` that signals need; tests hand in their own. */
export interface SignalTarget {
  on(signal: Signal | 'SIGHUP', listener: (signal: Signal) => void): unknown;
  off(signal: Signal | 'SIGHUP', listener: (signal: Signal) => void): unknown;
  exit(code?: number): unknown;
}

export interface CaughtSignals {
  /**
   * Waits for the first signal, which may have come already, then stops the daemon. Raises what stopping raised.
   * Whatever is left behind and would keep the process from ending is ended with it a moment later.
   */
  stopOnFirst(stop: () => Promise<void>, log: Log): Promise<void>;
  /** Has something done at each SIGHUP, which ends nothing, and before this does nothing. */
  onHangup(work: () => void): void;
  /** Leaves signals to their defaults again. */
  release(): void;
}

/** For the last lines of output. */
const lingerMs = 500;

/**
 * Catches signals from now on. To be called before anything is started: a signal that came during the start would
 * otherwise end the process and leave a PostgreSQL of ours behind.
 */
export function catchSignals(target: SignalTarget = process): CaughtSignals {
  let caught: (signal: Signal) => void = () => undefined;
  const first = new Promise<Signal>((resolve) => {
    caught = resolve;
  });
  let isSecond = false;
  const listener = (signal: Signal) => {
    if (isSecond) target.exit(exitCodes[signal]);
    isSecond = true;
    caught(signal);
  };
  let hangUp: () => void = () => undefined;
  const hear = () => hangUp();
  const release = () => {
    target.off('SIGHUP', hear);
    target.off('SIGTERM', listener);
    target.off('SIGINT', listener);
  };
  target.on('SIGHUP', hear);
  target.on('SIGTERM', listener);
  target.on('SIGINT', listener);
  return {
    release,
    onHangup: (work) => {
      hangUp = work;
    },
    async stopOnFirst(stop, log) {
      log.info('stopping', { signal: await first });
      try {
        await stop();
      } finally {
        release();
        setTimeout(() => target.exit(), lingerMs).unref();
      }
    },
  };
}
