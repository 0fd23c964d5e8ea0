/** What the lists of guards are made of. */
import type { Edit } from './project-copy.ts';

/** A line of the source that a comment above it marks: `// guard: name`, or `-- guard: name` in SQL. */
export interface Guard {
  /** As the comment says it. */
  readonly name: string;
  /** What the line becomes, without its indentation; empty where it goes. */
  readonly without: string;
  /** How many lines the guard has; one where it is not said. */
  readonly lines?: number;
  /** Parts of paths of test files. */
  readonly tests: readonly string[];
  /** The last major that it is needed on. */
  readonly until?: number;
}

/** What is in a migration, which never changes, is found by its text. */
export type MigrationGuard = Edit & Omit<Guard, 'lines'>;
