/** A number of places for what takes long, so that it never takes everything. */
import { StageError } from '../errors.ts';

export interface Places {
  /**
   * Waits a moment for a place.
   * @returns what to call, once or more, to give it back
   * @throws StageError `busy` when none becomes free
   */
  take(): Promise<() => void>;
}

/**
 * @param count how many there are at the moment
 * @param waitMs how long to wait for one
 * @param message what is said when there is none
 */
export function createPlaces(count: () => number, waitMs: number, message: string): Places {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  };
  /** A place that can be given back once. */
  const place = () => {
    let isHeld = true;
    return () => {
      if (isHeld) release();
      isHeld = false;
    };
  };
  return {
    take: () => {
      if (taken < count()) {
        taken += 1;
        return Promise.resolve(place());
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(busy(message));
        }, waitMs);
        const enter = () => {
          clearTimeout(timer);
          resolve(place());
        };
        waiting.push(enter);
      });
    },
  };
}

/** A place each of two kinds, the second taken last. */
export function bothPlaces(first: Places, second: Places): Places {
  return {
    take: async () => {
      const leaveFirst = await first.take();
      const leaveSecond = await second.take().catch((error: unknown) => {
        leaveFirst();
        throw error;
      });
      return () => {
        leaveSecond();
        leaveFirst();
      };
    },
  };
}

function busy(message: string): StageError {
  return new StageError('busy', message, { hint: 'Nothing was done. Try again in a moment.' });
}
