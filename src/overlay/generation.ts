/**
 * Generations: the release and server version that made an object which stands for a relation or function. A table's signature does not
 * show whether objects still fit: another release makes other objects of the same table, and so does another major version of the server.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverMajor } from '../db/catalog-reader.ts';
import type { Database } from '../db/database.ts';

const program = fileURLToPath(new URL('../', import.meta.url));

/** The generator's folders, including subfolders. Their files are hashed: a version number could be forgotten. */
const folders = ['../templates/sql/table', ...['db', 'model', 'sql', 'overlay']] as const;

/** Returns the generation of the objects that this program makes on a server of the given major version. */
export function generationOn(server: number): string {
  generator.hash ??= hashOf(generatorFiles().map((path) => readFileSync(path, 'utf8')));
  return `${generator.hash} on ${server}`;
}

const generator = { hash: null as string | null };

/** Lists the files whose contents make a generation: templates, and the sources that fill them. */
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

/**
 * Marks all objects of another generation as outdated, so that they are rebuilt on next use. Call it when a daemon starts, after migrate().
 */
export async function markOutdated(db: Database): Promise<void> {
  await db.query('SELECT stage.mark_outdated($1)', [generationOn(await serverMajor(db))]);
}
