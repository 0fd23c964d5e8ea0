/** Removes the staged rows of decided sessions, in batches: removing them in the approval would lock production's rows for longer. */
import type { Database } from '../db/database.ts';
import type { Upstream } from '../rest/services.ts';
import { discardBatch } from '../staging/discard.ts';
import type { Parts } from './parts.ts';
import { startPeriodicTask } from './periodic-task.ts';

/** Starts at once, with what an earlier daemon left. */
export function startDiscarding(parts: Parts, db: Database, upstream: Upstream): void {
  startPeriodicTask(parts, upstream, {
    name: 'removal of staged rows',
    everyMs: 2_000,
    failure: 'staged rows of decided sessions could not be removed',
    run: async (isStopped) => {
      while (!isStopped() && (await discardBatch(db)));
    },
  });
}
