/**
 * User-defined objects whose calls the text of a statement may not reveal, e.g. operators and casts. All connections share the list,
 * which is queried again when the catalog has changed.
 */
import type { Database } from '../db/database.ts';
import type { UnclearCall } from '../sql/functions/calls.ts';

/** An aggregate counts as a function. A cast of kind `cast` is called by no name. */
interface UserCall {
  readonly kind: 'function' | 'operator' | 'type' | 'cast' | 'relation';
  readonly name: string;
}

type Called = Pick<UnclearCall, 'kind' | 'schema' | 'name'>;

export class UserCalls {
  private readonly names: ReadonlySet<string>;
  /** The calls that a statement can make without naming them. */
  private readonly unnamed: readonly Called[];
  /** Whether there are types that run code when a value is converted to them. */
  readonly hasTypes: boolean;
  private readonly serverFunctions: ReadonlySet<string>;

  /** @param serverFunctions the names of the server's own functions */
  constructor(made: readonly UserCall[], serverFunctions: readonly string[]) {
    this.serverFunctions = new Set(serverFunctions);
    this.names = new Set(made.map(({ kind, name }) => keyOf(kind, name)));
    this.hasTypes = made.some(({ kind }) => kind === 'type');
    this.unnamed = made.flatMap(({ kind, name }) =>
      kind === 'cast' ? [{ kind: 'type' as const, schema: null, name }] : [],
    );
  }

  /** Returns the calls of a read that must be checked before it runs. */
  among(calls: readonly UnclearCall[]): readonly Called[] {
    // guard: operators, aggregates, casts and types of users are resolved in reads
    return this.withUnnamed(calls.filter((each) => each.unlessMade !== true || this.has(each)));
  }

  /** Adds the calls that happen without a name. */
  withUnnamed(calls: readonly Called[]): readonly Called[] {
    return this.unnamed.length === 0 ? calls : [...calls, ...this.unnamed];
  }

  /** Returns whether a name can refer to no functions but those of the server and of extensions, whatever the search path is. */
  isOfServer({ schema, name }: Pick<Called, 'schema' | 'name'>): boolean {
    if (schema !== null && schema !== 'pg_catalog') return false;
    const isMade = this.has({ kind: 'function', schema, name });
    // guard: a function of users that has the name of one of the server's is resolved
    if (isMade) return false;
    return this.serverFunctions.has(name);
  }

  /** Returns whether there is a user-defined object of that kind and name. */
  has({ kind, name }: Called): boolean {
    return this.names.has(keyOf(kind, name));
  }
}

/** An aggregate can also be called in dot notation. */
const keyOf = (kind: Called['kind'] | 'cast', name: string) =>
  `${kind === 'field' ? 'function' : kind} ${name}`;

export interface UserCallsMonitor {
  /** A new object after every change. */
  readonly current: UserCalls;
  /** Checks for changes, and reloads the list if there are any. */
  refresh(): Promise<void>;
}

const userCalls = `
SELECT stage.user_calls() AS made,
  (SELECT json_agg(DISTINCT p.proname) FROM pg_proc p WHERE p.oid < 16384 AND p.pronamespace = 'pg_catalog'::regnamespace)::text AS server`;

/** Creates the monitor. Its list is empty before the first `refresh`. */
export function monitorUserCalls(db: Database): UserCallsMonitor {
  let current = new UserCalls([], []);
  let stamp: string | null = null;
  let reloading: Promise<void> = Promise.resolve();
  const reload = async (found: string) => {
    if (found === stamp) return;
    const [row] = await db.query(userCalls);
    current = new UserCalls(JSON.parse(String(row?.['made'])), JSON.parse(String(row?.['server'])));
    stamp = found;
  };
  return {
    get current() {
      return current;
    },
    refresh: async () => {
      const [row] = await db.query('SELECT stage.user_calls_stamp() AS stamp');
      // sequentially, so that no older result comes last
      const reloadNext = () => reload(String(row?.['stamp']));
      reloading = reloading.then(reloadNext, reloadNext);
      await reloading;
    },
  };
}
