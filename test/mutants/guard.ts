/** What the list of guards is made of. */

export interface Guard {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly text: string;
  /** What it becomes. */
  readonly without: string;
  /** Parts of paths of test files. */
  readonly tests: readonly string[];
  /** The last major that it is needed on. */
  readonly until?: number;
}
