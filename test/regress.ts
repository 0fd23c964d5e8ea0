/**
 * PostgreSQL's own regression files, staged and compared with direct execution statement by statement: `npm run regress -- <directory of
 * src/test/regress/sql> [name ...]`. The files are part of PostgreSQL's source of the server's major version (src/test/regress/sql, with
 * src/test/regress/data beside it), not of this repository. Without names, those about writing run (`generated` is called
 * `generated_stored` from 18 on).
 * +
 * The columns: `wording` is the same SQLSTATE with another message, `consequence` what follows a refusal in the same transaction, `run
 * directly` DDL and what must run with it, `skipped` triggers, rules and psql's own commands.
 * +
 * STAGE_TEST_PG sets the major version, STAGE_TEST_UPSTREAM a running server. STAGE_TEST_SHOW=differ,refused,wording sets what is listed.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadParser } from '../src/sql/parser/parser.ts';
import { createTestDatabase, dropLeftovers } from './helpers/database.ts';
import type { FileResult, Finding } from './regress/compare-file.ts';
import { compareFile } from './regress/compare-file.ts';
import { openDatabases } from './regress/databases.ts';
import { splitSql } from './regress/split-sql.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const written =
  'insert insert_conflict update delete returning with merge copy copy2 foreign_key truncate identity constraints generated generated_stored';
const [directory, ...given] = process.argv.slice(2);
if (directory === undefined) {
  process.stdout.write(
    'usage: npm run regress -- <directory of PostgreSQL regression files> [name ...]\n',
  );
  process.exit(2);
}
const names = given.length > 0 ? given : written.split(' ');
const shown = (process.env['STAGE_TEST_SHOW'] ?? 'differ').split(',');
const file = `regress_${process.pid}`;
process.env['STAGE_TEST_FILE'] = file;
const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;
const totals = { differ: 0 };

const read = (folder: string, name: string) =>
  readFile(join(folder, `${name}.sql`), 'utf8').then(
    (text) => splitSql(text, new Map([['PG_ABS_SRCDIR', dirname(folder)]])),
    () => null,
  );

/** Runs one file. The tables that all files share are created directly, as the regression tests' own schedule does. */
async function runFile(folder: string, name: string): Promise<void> {
  const [setup, script] = [await read(folder, 'test_setup'), await read(folder, name)];
  if (script === null) {
    process.stdout.write(`| ${name} | no such file |\n`);
    return;
  }
  const databases = await openDatabases();
  const roles: string[] = [];
  try {
    for (const { text, data } of setup?.statements ?? [])
      for (const run of [databases.onTwin, databases.onProduction]) await run(text, data);
    const result = await compareFile(databases, script.statements);
    roles.push(...result.roles);
    print(name, result, script.commands);
  } finally {
    await databases.close();
    await dropRoles(roles);
  }
}

/** Drops the roles. They belong to the server and outlive the databases. */
async function dropRoles(roles: readonly string[]): Promise<void> {
  const database = await createTestDatabase({ template: 'empty' });
  for (const role of roles)
    await database.query(`DROP ROLE IF EXISTS ${role}`).catch(() => undefined);
  await database.drop();
}

function print(
  name: string,
  { findings, agree, direct, skipped, consequences }: FileResult,
  commands: number,
): void {
  const count = (verdict: Finding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict).length;
  totals.differ += count('differ');
  const cells = [
    name,
    agree,
    count('wording'),
    count('refused'),
    consequences,
    count('differ'),
    direct,
    skipped,
    commands,
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
  for (const { verdict, line, text, direct: wanted, staged } of findings) {
    if (!shown.includes(verdict)) continue;
    const lines = [
      `${verdict} ${name}:${line}: ${text}`,
      ...difference('directly', wanted, staged),
      ...difference('staged', staged, wanted),
    ];
    process.stdout.write(`${lines.map((each) => `    ${each}`).join('\n')}\n`);
  }
}

const difference = (side: string, mine: readonly string[], others: readonly string[]) =>
  mine
    .filter((line) => !others.includes(line))
    .slice(0, 4)
    .map((line) => `  ${side}: ${JSON.stringify(line)}`);

try {
  await loadParser();
  process.stdout.write(
    '| file | agree | wording | refused | consequence | differ | run directly | skipped | psql commands |\n|---|---|---|---|---|---|---|---|---|\n',
  );
  for (const name of names) await runFile(resolve(directory), name);
} finally {
  await dropLeftovers(server.url, file);
  await server.stop();
}
process.exitCode = totals.differ === 0 ? 0 : 1;
