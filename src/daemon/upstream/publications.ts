/** Refuses to install where publications FOR ALL TABLES would publish the service's tables, which subscribers do not have. */
import type { Database } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { quoteIdentifier } from '../../identifier.ts';

const ofAllTables = `
SELECT p.pubname AS name,
  (SELECT string_agg(DISTINCT quote_ident(t.schemaname), ', ') FROM pg_publication_tables t WHERE t.pubname = p.pubname) AS schemas
FROM pg_publication p WHERE p.puballtables AND to_regclass('stage.session') IS NULL ORDER BY 1`;

/**
 * Refuses such publications. Must be called before the schema `stage` is created.
 * @throws StageError `configuration_invalid` if there is one: subscribers without the service's tables would stop replicating, and the
 *   server would retain WAL for them
 */
export async function refusePublications(db: Database): Promise<void> {
  const [row] = await db.query(ofAllTables);
  if (row === undefined) return;
  const name = quoteIdentifier(String(row['name']));
  const only = quoteIdentifier(`${row['name']}_only`);
  throw new StageError(
    'configuration_invalid',
    `publication ${name} is FOR ALL TABLES: it would carry the tables of the service, and stop replication where subscribers do not have them`,
    {
      hint:
        `CREATE PUBLICATION ${only} FOR TABLES IN SCHEMA ${row['schemas'] ?? 'public'}; on each subscriber ` +
        `ALTER SUBSCRIPTION ... SET PUBLICATION ${only}; then DROP PUBLICATION ${name}. With --allow-publications it is installed all the same.`,
    },
  );
}
