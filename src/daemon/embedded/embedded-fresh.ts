/** Resets the data of the embedded PostgreSQL: counts undecided sessions, and removes the data. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase } from '../../db/database.ts';
import type { Log } from '../../log.ts';
import { startEmbedded } from './embedded.ts';
import type { KnownClusters } from './known-clusters.ts';
import { sampleUrl } from './sample.ts';

/**
 * Counts the sessions in a directory's data that are proposed, or active with staged changes.
 * @throws StageError `configuration_invalid` if a daemon uses the directory, `configuration_untrusted` if its cluster is not known
 */
export async function countUndecided(
  directory: string,
  clusters: KnownClusters,
  log: Log,
): Promise<number> {
  const isThere = await stat(join(directory, 'data')).then(
    () => true,
    () => false,
  );
  if (!isThere) return 0;
  const server = await startEmbedded({ directory, clusters, log });
  try {
    return await countIn(server.url);
  } finally {
    await server.stop();
  }
}

async function countIn(url: string): Promise<number> {
  const shop = createDatabase({ url: sampleUrl(url), maxConnections: 1 });
  try {
    const [found] = await shop
      .query("SELECT to_regclass('stage.session') IS NOT NULL AS there")
      // the sample database does not exist yet
      .catch(() => []);
    if (found?.['there'] !== 't') return 0;
    const [row] = await shop.query(undecided);
    return Number(row?.['count']);
  } finally {
    await shop.close();
  }
}

const undecided = `
SELECT count(*) FROM stage.session s
WHERE status = 'proposed' OR (status = 'active' AND EXISTS (SELECT FROM stage.mutation m WHERE m.session = s.id))`;

/** Removes the data. The next start creates them again. */
export async function removeData(directory: string): Promise<void> {
  await rm(join(directory, 'data'), { recursive: true, force: true });
}
