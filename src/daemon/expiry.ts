/** Has sessions rejected that have expired: looks once a minute, while the upstream is ready. */
import type { Database } from '../db/database.ts';
import type { Metrics } from '../metrics.ts';
import type { Upstream } from '../rest/services.ts';
import type { SessionTtls } from '../review/expire.ts';
import { expireSessions } from '../review/expire.ts';
import type { Parts } from './parts.ts';
import { releaseInTime } from './parts.ts';

const betweenLooksMs = 60_000;
const hourMs = 3_600_000;

interface ExpiryNeeds {
  readonly db: Database;
  readonly upstream: Upstream;
  readonly metrics: Metrics;
}

/** Looks for the first time now. Does nothing where sessions live for ever. Any number of daemons may do so at once. */
export function startExpiry(parts: Parts, { db, upstream, metrics }: ExpiryNeeds): void {
  const { activeSessionTtlHours: active, proposedSessionTtlHours: proposed } = parts.settings;
  if (active === null && proposed === null) return;
  const ttls: SessionTtls = {
    ...(active === null ? {} : { active: active * hourMs }),
    ...(proposed === null ? {} : { proposed: proposed * hourMs }),
  };
  const look = async () => {
    if (!upstream.state.ready) return;
    for (const { id, projectId, mutationCount } of await expireSessions(db, ttls)) {
      metrics.reviewed('rejected', mutationCount);
      parts.log.info('session expired', { session: id, project: projectId });
    }
  };
  const tell = (error: Error) =>
    parts.log.warn('expired sessions could not be rejected', { error: error.message });
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const lookAgain = async (): Promise<void> => {
    await look().catch(tell);
    if (isStopped) return;
    timer = setTimeout(() => {
      looking = lookAgain();
    }, betweenLooksMs);
  };
  let looking = lookAgain();
  releaseInTime(parts, 'expiry of sessions', () => {
    isStopped = true;
    clearTimeout(timer);
    return looking;
  });
}
