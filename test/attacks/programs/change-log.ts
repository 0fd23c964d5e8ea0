/** Reads the WAL with PostgreSQL's own logical decoding, independently of the tables' content. */
import type { TestDatabase } from '../../helpers/database.ts';

export interface ChangeLog {
  /** Returns the changes of rows outside of the service's tables that were committed since the last call. */
  changes(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openChangeLog(database: TestDatabase): Promise<ChangeLog> {
  const slot = `${database.name}_slot`;
  await database.query(`SELECT pg_create_logical_replication_slot('${slot}', 'test_decoding')`);
  return {
    changes: async () => {
      // Only flushed records are decoded.
      await database.query(
        `BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_logical_emit_message(true, 'flush', ''); COMMIT`,
      );
      const lines = await database.query<{ data: string }>(
        `SELECT data FROM pg_logical_slot_get_changes('${slot}', NULL, NULL, 'skip-empty-xacts', '1')
         WHERE data LIKE 'table %' AND data !~ '^table stage(_data)?\\.'`,
      );
      return lines.map(({ data }) => data);
    },
    close: async () => {
      await database.query(`SELECT pg_drop_replication_slot('${slot}')`);
    },
  };
}
