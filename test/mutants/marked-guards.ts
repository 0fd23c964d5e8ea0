/** Finds the places that comments mark as guards. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Guard } from './guard.ts';
import type { Edit } from './project-copy.ts';

/** A comment that marks a guard, with the lines after it. */
interface Mark {
  readonly file: string;
  /** The lines of the file, beginning with the comment. */
  readonly lines: readonly string[];
}

const mark = /^ *(?:\/\/|--) guard: (.+)$/;

/**
 * Returns the marks by the names of their guards.
 * @throws Error if two have the same name
 */
export async function findMarks(): Promise<ReadonlyMap<string, Mark>> {
  const marks = new Map<string, Mark>();
  for (const file of await sourceFiles()) {
    const lines = (await readFile(file, 'utf8')).split('\n');
    for (const [index, line] of lines.entries()) {
      const name = mark.exec(line)?.[1];
      if (name === undefined) continue;
      if (marks.has(name)) throw new Error(`two guards have one name: ${name}`);
      marks.set(name, { file, lines: lines.slice(index) });
    }
  }
  return marks;
}

async function sourceFiles(): Promise<string[]> {
  const found = await Promise.all(
    ['src', 'templates'].map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
  );
  return found
    .flat()
    .filter((entry) => entry.isFile() && /\.(?:ts|sql)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/**
 * Returns the edit that removes a guard. It replaces the lines after the mark, and retains further marks before them.
 * @throws Error if nothing marks it
 */
export function editOf({ name, without, lines: count = 1 }: Guard, found: Mark | undefined): Edit {
  if (found === undefined) throw new Error(`no comment marks the guard "${name}"`);
  const { file, lines } = found;
  const first = lines.findIndex((line) => !mark.test(line));
  const guarded = lines.slice(first, first + count);
  const indentation = /^ */.exec(guarded[0] ?? '')?.[0] ?? '';
  const marks = lines.slice(0, first);
  const left = without.split('\n').map((line) => (line === '' ? '' : indentation + line));
  return {
    file,
    text: [...marks, ...guarded].join('\n'),
    without: [...marks, ...left].join('\n'),
  };
}
