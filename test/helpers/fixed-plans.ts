/** Fixes plans: the statistics of the tables of `public` stay what they are. A comparison must not depend on the moment of an ANALYZE. */
import type { TestDatabase } from './database.ts';

const noAutovacuum = `DO $$ DECLARE v_table regclass; BEGIN
  FOR v_table IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', v_table);
  END LOOP;
END $$`;

/** Turns autovacuum off for the tables of both databases. */
export async function fixPlans(...databases: readonly TestDatabase[]): Promise<void> {
  for (const database of databases) await database.query(noAutovacuum);
}
