/** Limits how many long operations run at once. */
import { StageError } from '../errors.ts';

export interface Places {
  /**
   * Waits briefly for a place.
   * @returns a function that releases the place; further calls have no effect
   * @throws StageError `busy` if no place becomes free
   */
  take(): Promise<() => void>;
}

/**
 * Creates a limit on concurrent operations.
 * @param count returns the current number of places
 * @param waitMs how long to wait for one
 * @param message message of the error if none becomes free
 */
export function createPlaces(count: () => number, waitMs: number, message: string): Places {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  };
  /** Returns a function that releases a place once. */
  const place = () => {
    let isTaken = true;
    return () => {
      if (isTaken) release();
      isTaken = false;
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
          waiting.splice(waiting.indexOf(admit), 1);
          reject(busy(message));
        }, waitMs);
        const admit = () => {
          clearTimeout(timer);
          resolve(place());
        };
        waiting.push(admit);
      });
    },
  };
}

/** Takes a place of each kind, the second one last. */
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
