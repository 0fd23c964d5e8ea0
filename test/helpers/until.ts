/** Waits for something that happens by itself. The test's own time limit ends a wait in vain. */
import { setTimeout as delay } from 'node:timers/promises';

/** Asks again and again until the answer is not undefined, null or false, and gives it. */
export async function until<T>(ask: () => Promise<T> | T): Promise<NonNullable<T>> {
  for (;;) {
    const answer = await ask();
    if (answer) return answer as NonNullable<T>;
    await delay(20);
  }
}
