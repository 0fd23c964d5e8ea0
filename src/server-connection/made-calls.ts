/**
 * What users of the database have made that statements call without a name which tells so: known to all connections, and asked again
 * when the catalog has changed.
 */
import type { Database } from '../db/database.ts';
import type { UnclearCall } from '../sql/functions/calls.ts';

/** An aggregate counts as a function; a cast of its own kind is called by no name. */
interface MadeCall {
  readonly kind: 'function' | 'operator' | 'type' | 'cast' | 'relation';
  readonly name: string;
}

type Called = Pick<UnclearCall, 'kind' | 'schema' | 'name'>;

export class MadeCalls {
  private readonly names: ReadonlySet<string>;
  /** What a statement may call that names none of it. */
  private readonly unnamed: readonly Called[];
  /** Whether there are types that call something where a value becomes one of theirs. */
  readonly hasTypes: boolean;

  constructor(made: readonly MadeCall[]) {
    this.names = new Set(made.map(({ kind, name }) => keyOf(kind, name)));
    this.hasTypes = made.some(({ kind }) => kind === 'type');
    this.unnamed = made.flatMap(({ kind, name }) =>
      kind === 'cast' ? [{ kind: 'type' as const, schema: null, name }] : [],
    );
  }

  /** Returns what has to be known of the calls of a read before it runs. */
  among(calls: readonly UnclearCall[]): readonly Called[] {
    // guard: what users have made of operators, aggregates, casts and types is asked about in reads
    return this.withUnnamed(calls.filter((each) => each.unlessMade !== true || this.has(each)));
  }

  /** Returns the calls with those that no name tells. */
  withUnnamed(calls: readonly Called[]): readonly Called[] {
    return this.unnamed.length === 0 ? calls : [...calls, ...this.unnamed];
  }

  /** Whether users have made something of that name. */
  has({ kind, name }: Called): boolean {
    return this.names.has(keyOf(kind, name));
  }
}

/** An aggregate can be called behind a dot, too. */
const keyOf = (kind: Called['kind'] | 'cast', name: string) =>
  `${kind === 'field' ? 'function' : kind} ${name}`;

export interface MadeCallsWatch {
  /** Another object whenever something has changed. */
  readonly current: MadeCalls;
  /** Asks whether something has changed, and what there is then. */
  look(): Promise<void>;
}

/** Knows of nothing before the first look. */
export function watchMadeCalls(db: Database): MadeCallsWatch {
  let current = new MadeCalls([]);
  let stamp: string | null = null;
  let asking: Promise<void> = Promise.resolve();
  const ask = async (found: string) => {
    if (found === stamp) return;
    const [row] = await db.query('SELECT stage.made_calls() AS made');
    current = new MadeCalls(JSON.parse(String(row?.['made'])));
    stamp = found;
  };
  return {
    get current() {
      return current;
    },
    look: async () => {
      const [row] = await db.query('SELECT stage.made_stamp() AS stamp');
      // one after the other, so that no older answer comes last
      const askNext = () => ask(String(row?.['stamp']));
      asking = asking.then(askNext, askNext);
      await asking;
    },
  };
}
