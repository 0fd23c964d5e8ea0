/** The catalogs' entries about the service's schemas in two databases, without numbers, and digests of numbers, that always differ. */
import { readFileSync } from 'node:fs';
import type { TestDatabase } from '../helpers/database.ts';

const query = readFileSync('test/upgrades/catalog.sql', 'utf8');

/** Objects whose OIDs occur in names and bodies of the service's objects. */
const named = `
  SELECT c.oid::int, c.oid::regclass::text AS name FROM pg_class c WHERE c.oid >= 16384 AND c.relnamespace = 'public'::regnamespace
  UNION ALL SELECT t.oid::int, t.oid::regtype::text FROM pg_type t WHERE t.oid >= 16384 AND t.typnamespace = 'public'::regnamespace
  UNION ALL SELECT c.oid::int, c.conname FROM pg_constraint c WHERE c.oid >= 16384 AND c.connamespace = 'public'::regnamespace
  UNION ALL SELECT p.oid::int, p.oid::regproc::text FROM pg_proc p WHERE p.oid >= 16384 AND p.pronamespace = 'public'::regnamespace`;

/**
 * Returns a line for each relation, column, constraint, index, trigger, rule, function, type and operator, sorted, with owner and grants.
 */
export async function catalogOf(database: TestDatabase): Promise<string[]> {
  const names = new Map(
    (await database.query<{ oid: number; name: string }>(named)).map(({ oid, name }) => [
      String(oid),
      `<${name}>`,
    ]),
  );
  const lines = await database.query<{ line: string }>(query);
  return lines
    .map(({ line }) =>
      line
        .replace(/(deferred_\d{4}_)[0-9a-f]{32}/g, '$1digest')
        // digits inside hashes are no OIDs
        .replace(/(?<![0-9a-f])\d{5,}(?![0-9a-f])/g, (number) => names.get(number) ?? number),
    )
    .sort();
}

/** Returns the lines that the others lack. */
export function without(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}
