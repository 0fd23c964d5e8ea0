/** Checks once whether the upstream database can be served. */
import { majorOf } from '../../db/catalog-reader.ts';
import type { Database } from '../../db/database.ts';
import { StageError } from '../../errors.ts';

const oldestMajor = 15;
const newestMajor = 18;

const selectServer = `
SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number, pg_is_in_recovery() AS standby,
  to_regclass('stage.session') IS NOT NULL AS prepared,
  to_regclass('stage.session') IS NULL OR EXISTS (
    SELECT FROM pg_constraint c WHERE c.conrelid = to_regclass('stage.parked_table') AND c.contype = 'f') AS whole`;

export interface Server {
  /** Whether it contains the schema `stage`. */
  readonly prepared: boolean;
  readonly version: string;
}

/**
 * Returns the server's version, and whether it contains the schema `stage`.
 * @throws StageError `configuration_invalid` for an unsupported version, `upstream_unavailable` for a standby, or while the schema is
 *   being restored: a restore creates constraints last
 */
export async function checkServer(db: Database): Promise<Server> {
  const [row] = await db.query(selectServer);
  const major = majorOf(row?.['number']);
  if (major < oldestMajor || major > newestMajor) {
    throw new StageError(
      'configuration_invalid',
      `the upstream is PostgreSQL ${major}, which is not supported`,
      {
        hint: `Use PostgreSQL ${oldestMajor} to ${newestMajor}.`,
      },
    );
  }
  if (row?.['standby'] === 't') {
    throw new StageError('upstream_unavailable', 'the upstream is a read-only standby', {
      hint: 'Point the upstream URL at the primary server, or name all hosts in it: host1:5432,host2:5432.',
    });
  }
  if (row?.['whole'] !== 't') {
    throw new StageError('upstream_unavailable', 'the schema stage is being restored', {
      hint: 'The service waits until the restore has ended.',
    });
  }
  return { prepared: row?.['prepared'] === 't', version: String(row?.['version']) };
}
