/** One schema that others wrote, through a session and directly on a twin, statement by statement. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { quoteIdentifier } from '../../src/identifier.ts';
import type { TestDatabase } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { deletesOf, waysToInsert, writesOf } from './statements.ts';
import type { Table } from './tables.ts';
import { readTables, readTypes } from './tables.ts';
import type { Types } from './values.ts';

export interface Compared {
  readonly tables: number;
  readonly triggers: number;
  readonly rows: number;
  /** Errors of the schema's file, such as owners that do not exist here. */
  readonly loadErrors: readonly string[];
  readonly equal: number;
  /** Statements that only staging refuses, with its answer. */
  readonly refused: readonly string[];
  readonly differing: readonly string[];
  /** Answers of the service to the session's life, and the tables whose rows differ after it. */
  readonly life: readonly string[];
}

/** Loads a file as psql does, and returns the errors. This process reads the log of the server meanwhile. */
async function load({ url }: TestDatabase, file: string): Promise<string[]> {
  const limits = { maxBuffer: 1e9 };
  const { stderr } = await promisify(execFile)('psql', ['-qX', '-d', url, '-f', file], limits);
  return stderr.split('\n').filter((line) => line.includes('ERROR'));
}

/** Gives all later connections to a database a search path. */
async function setSearchPath(database: TestDatabase, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const path = names.map(quoteIdentifier).join(', ');
  await database.query(
    `DO $do$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = ', current_database()) || $path$${path}$path$; END $do$`,
  );
}

interface CompareOptions {
  /** The schemas in which connections find names. */
  readonly searchPath: readonly string[];
  /** What the names of the tables match. */
  readonly wanted: RegExp;
  /** Takes each difference when it is found, as a large schema takes an hour. */
  readonly tell: (difference: string) => void;
}

/** Runs everything on an empty database and its twin. */
export async function compareSchema(
  proxied: Proxied,
  file: string,
  { searchPath, wanted, tell }: CompareOptions,
): Promise<Compared> {
  const { database, twin } = proxied;
  for (const side of [database, twin]) await setSearchPath(side, searchPath);
  const [loadErrors] = [await load(database, file), await load(twin, file)];
  const all = await readTables(database);
  const [tables, types] = [all.filter(({ name }) => wanted.test(name)), await readTypes(database)];
  const rows = await addRows(proxied, tables, types);
  const before = await contentsOf(database, tables);
  const id = await proxied.daemon.newSession({ reads: 'staged' });
  const staged = await connect(proxied.daemon.clientUrl(id));
  const direct = await connect(twin.url);
  const found = { equal: 0, refused: [] as string[], differing: [] as string[] };
  const texts = [
    ...tables.flatMap((table) => writesOf(types, table)),
    ...[...tables].reverse().flatMap((table) => deletesOf(types, table)),
  ];
  for (const text of texts) {
    const answer = await outcome(staged, text);
    if (/^(0A000|42939) /.test(answer)) {
      found.refused.push(`${text}\n      ${answer}`);
      continue;
    }
    const expected = await outcome(direct, text);
    if (answer === expected) found.equal += 1;
    else {
      found.differing.push(`${text}\n      staged: ${answer}\n      direct: ${expected}`);
      tell(found.differing.at(-1) ?? '');
    }
  }
  await Promise.all([staged.end(), direct.end()]);
  const triggers = tables.filter((table) => table.triggers > 0).length;
  const life = await live(proxied, tables, id, before);
  return { tables: tables.length, triggers, rows, loadErrors, ...found, life };
}

/** Approves, compares with the twin, reverts, and compares with what was before. */
async function live(
  { daemon, database, twin }: Proxied,
  tables: readonly Table[],
  id: string,
  before: ReadonlyMap<string, string>,
): Promise<string[]> {
  const reported: string[] = [];
  const call = async (method: string, path: string) => {
    const { status, body, text } = await daemon.call(method, `/sessions/${path}`);
    const name = path.replace(/^[^/]+\//, '');
    reported.push(`${name} ${status}${status < 300 ? '' : ` ${text.slice(0, 600)}`}`);
    return body;
  };
  const strayed = (left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>) =>
    [...left].filter(([name, rows]) => rows !== right.get(name)).map(([name]) => name);
  for (const path of ['diff', 'conflicts', 'mutations']) await call('GET', `${id}/${path}`);
  for (const path of ['rehearse', 'propose', 'approve']) await call('POST', `${id}/${path}`);
  const now = await contentsOf(database, tables);
  reported.push(
    `rows unlike the twin's: ${strayed(now, await contentsOf(twin, tables)).join(', ') || 'none'}`,
  );
  const reverted = await call('POST', `${id}/revert`);
  if (typeof reverted?.id !== 'string') return reported;
  for (const path of ['propose', 'approve']) await call('POST', `${reverted.id}/${path}`);
  const again = await contentsOf(database, tables);
  reported.push(`rows unlike those before: ${strayed(again, before).join(', ') || 'none'}`);
  return reported;
}

/** Adds two rows to each table that takes them, on both sides. Returns their number. */
async function addRows({ database, twin }: Proxied, tables: readonly Table[], types: Types) {
  const sides = await Promise.all([connect(database.url), connect(twin.url)]);
  let count = 0;
  for (const side of sides) await side.query(`SET session_replication_role = replica`);
  for (const table of tables)
    for (const number of [1, 2])
      for (const text of waysToInsert(types, table, number)) {
        const answers = await Promise.all(sides.map((side) => outcome(side, text)));
        if (!answers.every((answer) => answer.startsWith('INSERT'))) continue;
        count += 1;
        break;
      }
  await Promise.all(sides.map((side) => side.end()));
  return count;
}

async function connect(url: string): Promise<pg.Client> {
  const types = { getTypeParser: () => String };
  const client = new pg.Client({ connectionString: url, types });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('SET statement_timeout = 60000');
  return client;
}

async function outcome(client: pg.Client, text: string): Promise<string> {
  try {
    const { command, rowCount, rows } = await client.query({ text, rowMode: 'array' });
    const shown = rows.map((row) => JSON.stringify(row)).sort();
    return masked(`${command} ${rowCount} ${shown.join(' ')}`);
  } catch (error) {
    const { code, message, detail = '' } = error as pg.DatabaseError;
    return masked(`${code} ${message} ${detail}`);
  }
}

/** Replaces the values that two runs cannot have in common: times of today, and random identifiers. */
const masked = (text: string) =>
  text
    .replaceAll(/20[2-9]\d-\d\d-\d\d([ T]\d\d:\d\d:\d\d(\.\d+)?)?([+-]\d\d(:?\d\d)?)?/g, '<time>')
    .replaceAll(/(?!00000000)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\b1[6-9]\d{8,11}(\.\d+)?\b/g, '<epoch>');

async function contentsOf(
  database: TestDatabase,
  tables: readonly Table[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`SELECT x::text AS row FROM ${name} x`);
    found.set(
      name,
      rows
        .map(({ row }) => masked(row))
        .sort()
        .join('\n'),
    );
  }
  return found;
}
