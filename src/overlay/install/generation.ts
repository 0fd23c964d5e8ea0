/**
 * Generations: what the objects were made by that stand for relations and functions. Those of a table's definition are not enough
 * to tell whether they still fit: another release makes others of the same table, and so does another major of the server.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serverMajor } from '../../db/catalog-reader.ts';
import type { Database } from '../../db/database.ts';
import { listSql, loadSql } from '../../db/sql-file.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The rooms that the generator consists of. Their own text is looked at: a number could be forgotten. */
const rooms = ['db', 'model', 'sql', 'overlay'];

/** Gives the generation of what this program makes on a server of the given major version. */
export function generationOn(server: number): string {
  generator.hash ??= hashOf([...templates(), ...rooms.flatMap(sources)]);
  return `${generator.hash} on ${server}`;
}

const generator = { hash: null as string | null };

const templates = () => listSql('table').map((name) => loadSql(`table/${name}`));

const sources = (room: string) =>
  readdirSync(root + room, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.d)\.[jt]s$/.test(name))
    .sort()
    .map((name) => readFileSync(`${root}${room}/${name}`, 'utf8'));

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

/** Has all objects of another generation made anew when they are next used. To be called when a daemon starts, after migrate(). */
export async function markOutdated(db: Database): Promise<void> {
  await db.query('SELECT stage.mark_outdated($1)', [generationOn(await serverMajor(db))]);
}
