/** The commits of the project's history whose schema the present release upgrades. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../helpers/random.ts';

export interface Commit {
  readonly hash: string;
  readonly subject: string;
  /** The most lasting part of the schema that it changed. */
  readonly changed: 'migration' | 'function' | 'template';
}

const migrations = 'templates/sql/migrations';

/**
 * Returns the commits that changed a migration, a function of the schema or a template of tables, oldest first. Leaves out those whose
 * migrations are not the first of the present ones: they were rewritten since, and an upgrade refuses them.
 * @returns none without a history: in a tarball, or in a shallow clone
 */
export function upgradableCommits(): Commit[] {
  const commits = changingCommits();
  const trees = migrationTrees(commits);
  const present = presentMigrations();
  const isPrefix = new Map(
    [...new Set(trees)].map((tree) => {
      const then = tree === null ? [] : filesOf(tree);
      return [tree, then.length > 0 && then.every((file, index) => file === present[index])];
    }),
  );
  return commits.filter((_, index) => isPrefix.get(trees[index] ?? null));
}

/**
 * Selects some of them, spread over the history: those that changed a migration first, then those that changed functions.
 * @param seed selects which
 */
export function spread(commits: readonly Commit[], count: number, seed: number): Commit[] {
  const chosen = new Set<Commit>();
  for (const kind of ['migration', 'function', 'template']) {
    const some = commits.filter(({ changed }) => changed === kind);
    const room = Math.min(count - chosen.size, some.length);
    for (let index = 0; index < room; index += 1) {
      const part = (index + createRandom(seed + index).below(1000) / 1000) / room;
      chosen.add(some[Math.floor(part * some.length)] as Commit);
    }
  }
  return commits.filter((commit) => chosen.has(commit));
}

function changingCommits(): Commit[] {
  const args = ['log', '--reverse', '--format=%x00%H %s', '--name-only', '--', 'templates/sql'];
  return git(args)
    .split('\0')
    .slice(1)
    .map((entry) => {
      const [head = '', ...files] = entry.trim().split('\n');
      const touches = (folder: string) => files.some((file) => file.startsWith(folder));
      const other = touches('templates/sql/functions') ? 'function' : 'template';
      return {
        hash: head.slice(0, 40),
        subject: head.slice(41),
        changed: touches(migrations) ? 'migration' : other,
      };
    });
}

/** Returns the tree of migrations of each; null if it has none. */
function migrationTrees(commits: readonly Commit[]): (string | null)[] {
  const asked = commits.map(({ hash }) => `${hash}:${migrations}\n`).join('');
  return git(['cat-file', '--batch-check'], asked)
    .trim()
    .split('\n')
    .map((line) => (/^\w+ tree /.test(line) ? line.slice(0, 40) : null));
}

/** Returns the migrations of a tree, each as its blob and name. */
const filesOf = (tree: string) =>
  git(['ls-tree', tree])
    .trim()
    .split('\n')
    .map((line) => line.slice(line.indexOf(' blob ') + 6));

function presentMigrations(): string[] {
  const names = readdirSync(migrations).sort();
  const blobs = git(['hash-object', ...names.map((name) => join(migrations, name))]).split('\n');
  return names.map((name, index) => `${blobs[index]}\t${name}`);
}

/** Runs git. Returns an empty text without git, or without a repository. */
function git(args: readonly string[], input = ''): string {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch {
    return '';
  }
}
