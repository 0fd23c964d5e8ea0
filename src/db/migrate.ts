/** Creates and upgrades the schema `stage`: runs each numbered migration once, and recreates functions whenever their text changes. */
import { createHash } from 'node:crypto';
import { StageError } from '../errors.ts';
import { packageVersion } from '../package-version.ts';
import type { Database, Queryable } from './database.ts';
import { executableByDefault } from './default-privileges.ts';
import { lockHolders, TablesInUse } from './lock-holders.ts';
import type { Standing } from './release.ts';
import { newerIn, recordRelease, standingColumns } from './release.ts';
import { listSql, loadSql } from './sql-file.ts';

interface SqlFile {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

/** The advisory lock that a migrating daemon holds, so that several daemons may start at once. */
const migrationLock = 0x73746167;

const bookkeeping = `
CREATE SCHEMA IF NOT EXISTS stage;
CREATE SCHEMA IF NOT EXISTS stage_data;
${executableByDefault('stage')};
${executableByDefault('stage_data')};
CREATE TABLE IF NOT EXISTS stage.migration (
  number int PRIMARY KEY,
  name text NOT NULL,
  hash text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS stage.function (
  name text PRIMARY KEY,
  hash text NOT NULL
);
`;

/**
 * Other sessions queue behind a migration that waits for a table's lock. So a migration waits only briefly, and the caller tries
 * again.
 */
const lockTimeout = '200ms';

/**
 * Upgrades the schema to this version in one transaction.
 * @throws StageError `schema_too_new` if a newer version has upgraded it, `forbidden` if the account lacks a right;
 * TablesInUse if the tables of the schema are locked
 */
export async function migrate(db: Database): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      // also checked before the lock, so that a daemon with nothing to change starts while another one holds it
      if (await isCurrent(tx)) return;
      await tx.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
      if (await isCurrent(tx)) return;
      // guard: a migration blocks nobody
      await tx.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
      await tx.query(bookkeeping);
      await applyMigrations(tx);
      await refuseNewer(tx);
      await applyFunctions(tx);
      await recordRelease(tx);
    });
  } catch (error) {
    if ((error as { code?: string }).code === '55P03')
      throw new TablesInUse(await lockHolders(db), error);
    throw explainMissingRight(error);
  }
}

/** Returns everything that the service would create, as one SQL script for a database administrator to read or run. */
export function printMigrations(): string {
  const parts = [...migrationFiles(), ...functionFiles()].map(
    (file) => `-- ${file.name}\n${file.text}`,
  );
  const records = [
    ...migrationFiles().map((file) => recordMigration(file)),
    ...functionFiles().map((file) => recordFunction(file)),
    `INSERT INTO stage.release (version) VALUES ('${packageVersion()}');`,
  ];
  return [
    'BEGIN;',
    bookkeeping,
    'SET LOCAL check_function_bodies = off;',
    ...parts,
    ...records,
    'COMMIT;',
    '',
  ].join('\n');
}

async function isCurrent(tx: Queryable): Promise<boolean> {
  const [found] = await tx.query(`SELECT to_regclass('stage.migration') IS NOT NULL AS exists`);
  if (found?.['exists'] !== 't') return false;
  const applied = await tx.query(
    'SELECT name, hash FROM stage.migration UNION ALL SELECT name, hash FROM stage.function',
  );
  const known = new Set(
    [...migrationFiles(), ...functionFiles()].map((file) => `${file.name} ${file.hash}`),
  );
  return (
    applied.length === known.size &&
    applied.every((row) => known.has(`${row['name']} ${row['hash']}`)) &&
    (await readStanding(tx)).release === packageVersion()
  );
}

async function readStanding(tx: Queryable): Promise<Standing> {
  const [row] = await tx.query(`SELECT ${standingColumns}`);
  return { migration: Number(row?.['migration']), release: row?.['release'] ?? null };
}

/** Refuses a schema with newer functions, which may have the same migrations: they would be downgraded. */
async function refuseNewer(tx: Queryable): Promise<void> {
  const standing = await readStanding(tx);
  const newer = newerIn(standing);
  if (newer !== null) throw tooNew(standing, newer);
}

function tooNew({ release }: Standing, newer: string): StageError {
  return new StageError('schema_too_new', `the schema stage is at ${newer}`, {
    hint: `Start the release that upgraded it (${release}), or a newer one. The only way back is a backup from before the upgrade.`,
  });
}

async function applyMigrations(tx: Queryable): Promise<void> {
  const files = migrationFiles();
  const applied = await tx.query('SELECT number, name, hash FROM stage.migration ORDER BY number');
  const newest = Number(applied.at(-1)?.['number'] ?? 0);
  if (newest > files.length)
    throw tooNew(await readStanding(tx), `version ${newest}, this stage knows ${files.length}`);
  for (const [index, file] of files.entries()) {
    const row = applied[index];
    if (row === undefined) {
      await tx.query(recordMigration(file));
      await tx.query(file.text);
    } else if (row['hash'] !== file.hash) {
      throw new StageError(
        'schema_too_new',
        `migration ${file.name} was applied with another text`,
        {
          hint: 'The schema stage was made by a different build of stage; start that build.',
        },
      );
    }
  }
}

/** Recreates all functions, and drops those that no file defines any more. */
async function applyFunctions(tx: Queryable): Promise<void> {
  // functions reference each other in any order
  await tx.query('SET LOCAL check_function_bodies = off');
  await tx.query('DELETE FROM stage.function');
  for (const file of functionFiles()) {
    await tx.query(file.text);
    await tx.query(recordFunction(file));
  }
  // guard: no function of an earlier release is taken for one of this release
  await tx.query(loadSql('drop_former_functions.sql'));
}

function recordMigration(file: SqlFile): string {
  const number = Number.parseInt(file.name, 10);
  return `INSERT INTO stage.migration (number, name, hash) VALUES (${number}, '${file.name}', '${file.hash}');`;
}

function recordFunction(file: SqlFile): string {
  return `INSERT INTO stage.function (name, hash) VALUES ('${file.name}', '${file.hash}')
  ON CONFLICT (name) DO UPDATE SET hash = excluded.hash;`;
}

const migrationFiles = () => sqlFiles('migrations');
const functionFiles = () => sqlFiles('functions');

function sqlFiles(folder: string): SqlFile[] {
  return listSql(folder).map((name) => {
    const text = loadSql(`${folder}/${name}`);
    return { name, text, hash: createHash('sha256').update(text).digest('hex') };
  });
}

function explainMissingRight(error: unknown): unknown {
  if ((error as { code?: string }).code !== '42501') return error;
  return new StageError(
    'forbidden',
    `the service account lacks a right: ${(error as Error).message}`,
    {
      hint: 'Grant CREATE on the database to the service account, or let an administrator run `stage init --print-sql`.',
      cause: error,
    },
  );
}
