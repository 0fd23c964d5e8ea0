/**
 * Generations: what the objects were made by that stand for relations and functions. Those of a table's definition are not enough
 * to tell whether they still fit: another release makes others of the same table, and so does another major of the server.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverMajor } from '../../db/catalog-reader.ts';
import type { Database } from '../../db/database.ts';

const program = fileURLToPath(new URL('../../', import.meta.url));

/** What the generator consists of, with all folders below. Its own text is looked at: a number could be forgotten. */
const folders = ['../templates/sql/table', ...['db', 'model', 'sql', 'overlay']] as const;

/** Gives the generation of what this program makes on a server of the given major version. */
export function generationOn(server: number): string {
  generator.hash ??= hashOf(generatorFiles().map((path) => readFileSync(path, 'utf8')));
  return `${generator.hash} on ${server}`;
}

const generator = { hash: null as string | null };

/** The files whose texts make a generation: templates, and the sources that fill them. */
export function generatorFiles(): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(program, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.d)\.([jt]s|sql)$/.test(name))
      .sort()
      .map((name) => join(program, folder, name)),
  );
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

/** Has all objects of another generation made anew when they are next used. To be called when a daemon starts, after migrate(). */
export async function markOutdated(db: Database): Promise<void> {
  await db.query('SELECT stage.mark_outdated($1)', [generationOn(await serverMajor(db))]);
}
