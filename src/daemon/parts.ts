/** The common needs of the daemon's parts, and how a part is stopped within a time limit. */
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

/** Long enough to close idle connections. */
const shortestWaitMs = 1_000;

/**
 * Registers how a part is stopped. After the grace time it is abandoned: then the process ends, and PostgreSQL rolls back the
 * transactions of its connections.
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
