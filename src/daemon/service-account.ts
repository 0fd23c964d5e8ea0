/** The service account's connections to the upstream, and the watch over it. */
import type { Database } from '../db/database.ts';
import { createDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { markOutdated } from '../staging/overlay/generation.ts';
import { warnOfFaults } from './doctor/warn.ts';
import type { Parts } from './parts.ts';
import { releaseInTime } from './parts.ts';
import { redactor } from './redact.ts';
import { UpstreamMonitor } from './upstream-monitor.ts';

const lookTimeoutMs = 3_000;
const looksMs = { ready: 5_000, broken: 1_000 };
/** A connection that is open tells nothing about whether another could be opened: a new one does. */
const looksOnOneConnectionSeconds = 8;

/** Opens a pool. The daemon's parts have one each, so that none waits for another's connections. */
export function openPool(parts: Parts, url: string, name: string): Database {
  const onError = (error: Error) =>
    parts.log.debug('an idle connection was lost', { pool: name, error: error.message });
  const db = createDatabase({ url, onError });
  releaseInTime(parts, `${name} connections`, db.close);
  return db;
}

/**
 * Creates the watch over the upstream; it has not looked yet.
 * @param examines whether the doctor looks at it, too: of the embedded PostgreSQL there is nothing to warn of
 */
export function createMonitor(parts: Parts, url: string, examines: boolean): UpstreamMonitor {
  const monitor = new UpstreamMonitor({
    open: () =>
      createDatabase({
        url,
        maxConnections: 1,
        maxLifetimeSeconds: looksOnOneConnectionSeconds,
      }),
    prepare: async (db) => {
      await migrate(db);
      await markOutdated(db);
      if (examines) await warnOfFaults(db, parts.log);
    },
    redact: redactor(url),
    log: parts.log,
    timeoutMs: lookTimeoutMs,
    intervalsMs: looksMs,
  });
  releaseInTime(parts, 'upstream monitor', () => monitor.stop());
  return monitor;
}
