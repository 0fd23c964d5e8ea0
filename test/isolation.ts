/**
 * PostgreSQL's own isolation tests, with all connections in one staging session, compared with direct execution: `npm run isolation --
 * <directory of src/test/isolation/specs> [name ...]`. The specifications are part of PostgreSQL's source, not of this repository.
 * STAGE_TEST_STATEMENTS is the number of permutations of each, spread over all of them; without it all run.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadParser } from '../src/sql/parser/parser.ts';
import { dropLeftovers } from './helpers/database.ts';
import type { Step } from './helpers/interleaving.ts';
import { interleave } from './helpers/interleaving.ts';
import { drawn } from './helpers/net.ts';
import type { Proxied } from './helpers/proxied.ts';
import { startProxied } from './helpers/proxied.ts';
import type { Spec } from './isolation/spec.ts';
import { readSpec } from './isolation/spec.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const [directory, ...given] = process.argv.slice(2);
if (directory === undefined) {
  process.stdout.write('usage: npm run isolation -- <directory of specifications> [name ...]\n');
  process.exit(2);
}
const most = drawn(Number.POSITIVE_INFINITY, 'STATEMENTS');
const file = `isolation_${process.pid}`;
process.env['STAGE_TEST_FILE'] = file;
const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;

/** SQLSTATEs of statements that staging refuses. */
const refusals = /: (waits, )?(0A000|55P02|42939|25006)$/;

async function runSpec(proxied: Proxied, name: string, spec: Spec): Promise<number> {
  const { permutations } = spec;
  const stride = Math.max(1, permutations.length / most);
  const counts = { equal: 0, refused: 0, differ: 0 };
  const reported: string[] = [];
  for (let at = 0; at < permutations.length; at += stride) {
    const steps = [...firstSteps(spec), ...(permutations[Math.floor(at)] ?? [])];
    const [staged, direct] = await runBoth(proxied, spec, steps);
    const index = staged.findIndex((outcome, place) => outcome !== direct[place]);
    if (index < 0) counts.equal += 1;
    else if (refusals.test(staged[index] ?? '')) counts.refused += 1;
    else counts.differ += 1;
    if (index >= 0) reported.push(difference(staged, direct, index));
  }
  const { equal, refused, differ } = counts;
  process.stdout.write(`| ${[name, permutations.length, equal, refused, differ].join(' | ')} |\n`);
  for (const text of new Set(reported)) process.stdout.write(text);
  return differ;
}

const firstSteps = ({ begun }: Spec): Step[] =>
  begun.flatMap((text, connection): Step[] => (text === null ? [] : [[connection, text]]));

function difference(staged: readonly string[], direct: readonly string[], index: number): string {
  const before = direct.slice(0, index).map((outcome) => `    ${outcome}`);
  const lines = [...before, `  staged: ${staged[index]}`, `  direct: ${direct[index]}`];
  return `${lines.map((line) => `    ${line.replaceAll(/\s+/g, ' ')}`).join('\n')}\n\n`;
}

/** Runs the steps in both ways. Returns the outcomes, followed by the rows that remain. */
async function runBoth(
  proxied: Proxied,
  spec: Spec,
  steps: readonly Step[],
): Promise<[staged: string[], direct: string[]]> {
  const { database, twin } = proxied;
  const url = await proxied.session('staged');
  const run = async (of: typeof twin, at: string) => {
    await of.query(spec.setup);
    try {
      const heard = await interleave(of, at, steps).catch((error: Error) => [error.message]);
      return [...heard, ...(await rowsAt(proxied, at))];
    } finally {
      await of.query(spec.teardown).catch(() => undefined);
      await dropTables(of);
    }
  };
  return Promise.all([run(database, url), run(twin, twin.url)]);
}

/** Drops what a teardown has left: it fails where a step that is refused was to make a table. */
async function dropTables(of: Proxied['twin']): Promise<void> {
  const [row] = await of.query<{ text: string | null }>(
    `SELECT 'DROP TABLE IF EXISTS ' || string_agg(oid::regclass::text, ', ') || ' CASCADE' AS text FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  );
  if (row?.text) await of.query(row.text);
}

async function rowsAt(proxied: Proxied, url: string): Promise<string[]> {
  const client = await proxied.connect(url);
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT * FROM ${name}`);
    found.push(
      `rows of ${name}: ${rows
        .map((row) => JSON.stringify(row))
        .sort()
        .join()}`,
    );
  }
  await client.end();
  return found;
}

let differences = 0;
try {
  await loadParser();
  process.stdout.write(
    '| specification | permutations | equal | refused | differ |\n|---|---|---|---|---|\n',
  );
  const all = (await readdir(directory)).filter((name) => name.endsWith('.spec')).sort();
  const proxied = await startProxied('');
  const found = all.map((each) => each.slice(0, -'.spec'.length));
  for (const name of given.length > 0 ? given : found) {
    try {
      const spec = readSpec(await readFile(join(directory, `${name}.spec`), 'utf8'));
      differences += await runSpec(proxied, name, spec);
    } catch (error) {
      process.stdout.write(`| ${name} | cannot be run: ${(error as Error).message} |\n`);
    }
  }
  await proxied.stop();
} finally {
  await dropLeftovers(server.url, file);
  await server.stop();
}
process.exitCode = differences === 0 ? 0 : 1;
