/** What every part of the daemon needs, and how a part is stopped without holding up the others for ever. */
import type { Settings } from '../config/schema.ts';
import type { Log } from '../log.ts';
import type { Grace } from './grace.ts';
import type { ReleaseStack } from './release-stack.ts';
import { withinTime } from './within-time.ts';

export interface Parts {
  readonly settings: Settings;
  readonly log: Log;
  readonly releases: ReleaseStack;
  readonly grace: Grace;
}

/** Enough for idle connections to be closed. */
const shortestWaitMs = 1_000;

/**
 * Has a part stopped in its turn, and left behind once the grace time is over: the process ends then, and PostgreSQL
 * rolls back what its lost connections were doing.
 */
export function releaseInTime(
  { releases, grace, log }: Parts,
  name: string,
  release: () => Promise<void>,
): void {
  releases.push(name, async () => {
    const released = release().then(() => true);
    const waitMs = Math.max(grace.left(), shortestWaitMs);
    if ((await withinTime(waitMs, released)) === null)
      log.warn('a part of the daemon did not stop in time', { part: name });
  });
}
