/** Growing pauses between the attempts of work that fails for a reason that may pass. */

/** A failed attempt. */
export interface Retry {
  /** How often it was tried. */
  readonly attempts: number;
  /** The pause until the next attempt. */
  readonly pauseMs: number;
}

export interface Retries {
  /** Returns the keys of work that is not to be tried now. */
  paused(): string[];
  /** Records a failed attempt. */
  failed(key: string, error: unknown): Retry;
  succeeded(key: string): void;
  /** Returns how much work has failed and is tried again. */
  failing(): number;
}

const firstPauseMs = 2_000;

/** The longest pause after an error. */
const mostMs = 5 * 60_000;

/** The longest pause while something is in use: that ends within seconds. */
const mostInUseMs = 10_000;

/** Failures that are older are forgotten: somebody has decided otherwise meanwhile. */
const forgottenAfterMs = 2 * mostMs;

/** Work that is not tried again within that time after its pause is done, or not wanted any more. */
const abandonedAfterMs = 60_000;

interface Failing {
  attempts: number;
  until: number;
}

/**
 * Creates the record of failed attempts.
 * @param isInUse whether an error only reports that somebody else uses what is needed
 * @param clock returns the time in milliseconds
 */
export function createRetries(
  isInUse: (error: unknown) => boolean,
  clock: () => number = () => performance.now(),
): Retries {
  const failing = new Map<string, Failing>();
  return {
    paused: () => {
      const now = clock();
      for (const [key, { until }] of failing)
        if (now - until > forgottenAfterMs) failing.delete(key);
      return [...failing].flatMap(([key, { until }]) => (until > now ? [key] : []));
    },
    failed: (key, error) => {
      const attempts = (failing.get(key)?.attempts ?? 0) + 1;
      const most = isInUse(error) ? mostInUseMs : mostMs;
      // guard: the pause between attempts grows
      const pauseMs = Math.min(most, firstPauseMs * 2 ** Math.min(attempts - 1, 20));
      failing.set(key, { attempts, until: clock() + pauseMs });
      return { attempts, pauseMs };
    },
    succeeded: (key) => {
      failing.delete(key);
    },
    failing: () => {
      const now = clock();
      return [...failing.values()].filter(({ until }) => now - until < abandonedAfterMs).length;
    },
  };
}
