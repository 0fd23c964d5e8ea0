/** How a table is reached together with those that inherit from it, as stage.tree_state says. */
export interface Tree {
  readonly schema: string;
  readonly name: string;
  /** Of the view; empty when an old snapshot hides it, null when there is none because nothing is staged. */
  readonly signature: string | null;
  readonly writable: boolean;
  readonly stale: boolean;
}
