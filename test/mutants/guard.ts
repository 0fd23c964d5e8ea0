/** What the list of guards is made of. */
import type { Edit } from './project-copy.ts';

export interface Guard extends Edit {
  readonly name: string;
  /** Parts of paths of test files. */
  readonly tests: readonly string[];
  /** The last major that it is needed on. */
  readonly until?: number;
}
