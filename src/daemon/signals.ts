/** SIGTERM and SIGINT: the first stops the daemon gracefully, the second at once. SIGHUP reloads the tokens. */
import type { Log } from '../log.ts';

const exitCodes = { SIGTERM: 143, SIGINT: 130 } as const;
type Signal = keyof typeof exitCodes;

/** The part of `process` that is needed here; tests pass their own. */
export interface SignalTarget {
  on(signal: Signal | 'SIGHUP', listener: (signal: Signal) => void): unknown;
  off(signal: Signal | 'SIGHUP', listener: (signal: Signal) => void): unknown;
  exit(code?: number): unknown;
}

export interface CaughtSignals {
  /**
   * Waits for the first signal, which may have arrived already, then stops the daemon. Throws the error of `stop`.
   * Shortly afterwards it ends the process, even if something would keep it alive.
   */
  stopOnFirst(stop: () => Promise<void>, log: Log): Promise<void>;
  /** Sets the callback for SIGHUP. Until then SIGHUP is ignored. */
  onHangup(work: () => void): void;
  /** Restores the default handling of signals. */
  release(): void;
}

/** Time for the last lines of output. */
const lingerMs = 500;

/**
 * Catches signals from now on. Must be called before anything is started: a signal during the start would otherwise end the
 * process and leave an embedded PostgreSQL running.
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
