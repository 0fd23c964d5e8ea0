/** Has staged rows removed that decisions have left behind: batch by batch, for an approval must not hold production's rows meanwhile. */
import type { Database } from '../db/database.ts';
import type { Upstream } from '../rest/services.ts';
import { discardBatch } from '../staging/discard.ts';
import { startLooks } from './looks.ts';
import type { Parts } from './parts.ts';

/** Begins now, with what a daemon that has ended left. */
export function startDiscarding(parts: Parts, db: Database, upstream: Upstream): void {
  startLooks(parts, upstream, {
    name: 'removal of staged rows',
    everyMs: 2_000,
    failure: 'staged rows of decided sessions could not be removed',
    look: async (isStopped) => {
      while (!isStopped() && (await discardBatch(db)));
    },
  });
}
