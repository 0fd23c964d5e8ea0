/** The names that a user's columns may have: every name in the service's own SQL, every keyword, and the names of the service's objects. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDatabase } from './database.ts';

const templates = 'templates/sql';

/** Members that every JavaScript object has. */
const ofObjects = ['constructor', 'hasOwnProperty', 'toString', 'toJSON', 'length'];

/**
 * Returns whether a name cannot be given to a column: every table has it, it is reserved for the service, or PostgreSQL takes it for a call
 * after a table's name.
 */
const isTaken = (name: string) =>
  ['tableoid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax'].includes(name) ||
  /^(_stage_|pg_|system$)/.test(name);

/** Returns the identifiers in the templates of one folder, without those in comments and placeholders. */
export function identifiersIn(folder: 'table' | 'functions'): string[] {
  const at = join(templates, folder);
  const texts = readdirSync(at, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(join(at, name), 'utf8'));
  const words = texts.flatMap(
    (text) => text.replaceAll(/--.*$|\{\{\w+\}\}/gm, ' ').match(/[a-z_]\w*/gi) ?? [],
  );
  return unique(words.map((word) => word.toLowerCase()));
}

/** Returns the server's keywords, and the names of all objects that the service created in its database. */
export async function namesOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(`
    SELECT word AS name FROM pg_get_keywords()
    UNION SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'stage'::regnamespace
    UNION SELECT a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'stage'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
    UNION SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'stage'::regnamespace
    UNION SELECT n.nspname FROM pg_namespace n WHERE n.nspname ~ '^stage'`);
  return unique([...rows.map(({ name }) => name), ...ofObjects]);
}

const unique = (names: readonly string[]) =>
  [...new Set(names)].filter((name) => !isTaken(name)).sort();

/** Splits the names into lots of at most `size`. */
export function inLots(names: readonly string[], size: number): string[][] {
  const count = Math.ceil(names.length / size);
  return Array.from({ length: count }, (_, lot) => names.slice(lot * size, (lot + 1) * size));
}
