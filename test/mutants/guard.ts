/** The entries of the lists of guards. */
import type { Edit } from './project-copy.ts';

/** A line of the source that a comment above it marks: `// guard: name`, or `-- guard: name` in SQL. */
export interface Guard {
  /** The name in the comment. */
  readonly name: string;
  /** The replacement of the line, without its indentation; empty to remove the line. */
  readonly without: string;
  /** The number of lines of the guard; 1 by default. */
  readonly lines?: number;
  /** Parts of paths of test files. */
  readonly tests: readonly string[];
  /** The last major version that needs the guard. */
  readonly until?: number;
}

/** A guard in a file without marks: a migration, which never changes, or the CI recipe, which users copy. Its text locates it. */
export type UnmarkedGuard = Edit & Omit<Guard, 'lines'>;
