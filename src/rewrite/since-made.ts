/** A cache of catalog facts that connections share. It is cleared when users have created objects since. */
import type { UserCalls, UserCallsMonitor } from '../server-connection/user-calls.ts';

/** Maximum number of entries, to bound memory; applications use fewer. */
const maxCached = 10_000;

/** SQL for the search path and the role under which names are resolved. */
export const nameContext = 'stage.name_context()';

/**
 * SQL for whether a result may be shared: its snapshot is not older than the query, and shows no uncommitted changes of the transaction.
 */
export const isOfAll = `pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.~~) 'read %' AND pg_catalog.pg_current_xact_id_if_assigned() IS NULL`;

export class SinceMade<Value> {
  private readonly monitor: Pick<UserCallsMonitor, 'current'>;
  /** The objects that users had created when the cached values were learned. */
  private current: UserCalls;
  private readonly values = new Map<string, Value>();

  constructor(monitor: Pick<UserCallsMonitor, 'current'>) {
    this.monitor = monitor;
    this.current = monitor.current;
  }

  /** The objects that users have created by now. */
  get userCalls(): UserCalls {
    this.follow();
    return this.current;
  }

  /** Returns the values of the keys, in order; null unless all are known. */
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

  /** Returns the function that stores what a query returns. To be called before the query is sent. */
  learner(): (key: string, value: Value) => void {
    const { userCalls } = this;
    return (key, value) => {
      if (userCalls !== this.userCalls) return;
      if (this.values.size > maxCached) this.values.clear();
      this.values.set(key, value);
    };
  }

  private follow(): void {
    if (this.current === this.monitor.current) return;
    this.current = this.monitor.current;
    this.values.clear();
  }
}
