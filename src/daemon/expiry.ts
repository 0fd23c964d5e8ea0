/** Rejects expired sessions: checks once a minute while the upstream is ready. */
import type { Database } from '../db/database.ts';
import type { Metrics } from '../metrics.ts';
import type { Upstream } from '../rest/services.ts';
import type { SessionTtls } from '../review/decisions/expire.ts';
import { expireSessions } from '../review/decisions/expire.ts';
import type { Parts } from './parts.ts';
import { startPeriodicTask } from './periodic-task.ts';

const hourMs = 3_600_000;

export interface ExpiryNeeds {
  readonly db: Database;
  readonly upstream: Upstream;
  readonly metrics: Metrics;
}

/** Checks at once and then regularly, if there is a limit for the age of sessions. Several daemons may do so at once. */
export function startExpiry(parts: Parts, { db, upstream, metrics }: ExpiryNeeds): void {
  const { activeSessionTtlHours: active, proposedSessionTtlHours: proposed } = parts.settings;
  if (active === null && proposed === null) return;
  const ttls: SessionTtls = {
    ...(active === null ? {} : { active: active * hourMs }),
    ...(proposed === null ? {} : { proposed: proposed * hourMs }),
  };
  startPeriodicTask(parts, upstream, {
    name: 'expiry of sessions',
    everyMs: 60_000,
    failure: 'expired sessions could not be rejected',
    run: async () => {
      for (const { id, projectId, mutationCount } of await expireSessions(db, ttls)) {
        metrics.reviewed('rejected', mutationCount);
        parts.log.info('session expired', { session: id, project: projectId });
      }
    },
  });
}
