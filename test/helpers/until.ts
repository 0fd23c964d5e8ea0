/** Waits for an event that nobody reports. The test's time limit ends a wait without result. */
import { setTimeout as delay } from 'node:timers/promises';

/** Calls `ask` repeatedly until the result is not undefined, null or false, and returns it. */
export async function until<T>(ask: () => Promise<T> | T): Promise<NonNullable<T>> {
  for (;;) {
    const answer = await ask();
    if (answer) return answer as NonNullable<T>;
    await delay(20);
  }
}
