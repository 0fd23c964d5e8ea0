/** What connections have learned from the catalog, by keys, for those that begin: forgotten when users have made something since. */
import type { MadeCalls, MadeCallsWatch } from '../server-connection/made-calls.ts';

/** More than any application uses: what fills the memory is not kept. */
const maxKept = 10_000;

/** Gives the search path and the role under which names are resolved. */
export const nameContext = 'stage.name_context()';

/**
 * Whether the answer to a question may be shared: no snapshot older than the question gives it, and it shows no change of the
 * transaction's own, which nobody else may see.
 */
export const isOfAll = `pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.~~) 'read %' AND pg_catalog.pg_current_xact_id_if_assigned() IS NULL`;

export class SinceMade<Value> {
  private readonly watch: Pick<MadeCallsWatch, 'current'>;
  /** What users had made when this was learned. */
  private current: MadeCalls;
  private readonly values = new Map<string, Value>();

  constructor(watch: Pick<MadeCallsWatch, 'current'>) {
    this.watch = watch;
    this.current = watch.current;
  }

  /** What users have made by now. */
  get made(): MadeCalls {
    this.follow();
    return this.current;
  }

  /** What is known by each of the keys, in order; null where that is not known of all. */
  all(keys: readonly string[]): Value[] | null {
    this.follow();
    const known: Value[] = [];
    for (const key of keys) {
      const value = this.values.get(key);
      if (value === undefined) return null;
      known.push(value);
    }
    return known;
  }

  /** To be called before a question is asked: returns the function that takes what is learned by the answer. */
  learner(): (key: string, value: Value) => void {
    const { made } = this;
    return (key, value) => {
      if (made !== this.made) return;
      if (this.values.size > maxKept) this.values.clear();
      this.values.set(key, value);
    };
  }

  private follow(): void {
    if (this.current === this.watch.current) return;
    this.current = this.watch.current;
    this.values.clear();
  }
}
