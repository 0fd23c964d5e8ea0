/** The program as it was at a commit of the history. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Extracts files of a commit into a folder, does work there, and removes it. */
async function inFolder<T>(
  commit: string,
  paths: readonly string[],
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'stage-old-'));
  try {
    const archive = join(folder, 'archive.tar');
    await run('git', ['archive', `--output=${archive}`, commit, '--', ...paths]);
    await run('tar', ['-xf', archive, '-C', folder]);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Compiles it with its own settings and the present packages, for as long as the work takes.
 * @param work gets Node's arguments to run it
 */
export function withOldRelease<T>(
  commit: string,
  work: (program: readonly string[]) => Promise<T>,
): Promise<T> {
  const paths = ['bin', 'src', 'templates', 'package.json', 'tsconfig.json'];
  return inFolder(commit, paths, async (folder) => {
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    const compiler = resolve('node_modules/typescript/bin/tsc');
    await run(process.execPath, [compiler, '-p', folder, '--noCheck']);
    return work([join(folder, 'bin/stage.js')]);
  });
}

/** Returns the SQL that created the schema `stage` at a commit. */
export function oldSchema(commit: string): Promise<string> {
  const migrations = 'templates/sql/migrations';
  const functions = 'templates/sql/functions';
  return inFolder(commit, [migrations, functions], async (folder) => {
    const made = [
      ...(await filesOf(join(folder, migrations))).map(
        ({ name, text, hash }) =>
          `${text};\nINSERT INTO stage.migration VALUES (${Number.parseInt(name, 10)}, '${name}', '${hash}');`,
      ),
      ...(await filesOf(join(folder, functions))).map(
        ({ name, text, hash }) =>
          `${text};\nINSERT INTO stage.function VALUES ('${name}', '${hash}');`,
      ),
    ];
    return `BEGIN; SET LOCAL check_function_bodies = off; CREATE SCHEMA stage;
      CREATE TABLE stage.migration (number int PRIMARY KEY, name text NOT NULL, hash text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
      CREATE TABLE stage.function (name text PRIMARY KEY, hash text NOT NULL);
      ${made.join('\n')} COMMIT;`;
  });
}

async function filesOf(folder: string) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}
