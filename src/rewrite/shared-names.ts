/**
 * What connections have learned of relations' names, for those that begin: to ask whether it holds is cheaper than to ask what they
 * mean. What calls mean depends on the search path, and is asked by each connection.
 */
import type { MadeCalls, MadeCallsWatch } from '../server-connection/made-calls.ts';
import type { ResolvedName } from './resolved-name.ts';

/** More names than any application uses: what fills the memory is not kept. */
const maxShared = 10_000;

/**
 * Whether the answer to a question may be shared: no snapshot older than the question gives it, and it shows no change of the
 * transaction's own, which nobody else may see.
 */
export const isOfAll = `pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.~~) 'read %' AND pg_catalog.pg_current_xact_id_if_assigned() IS NULL`;

export class SharedNames {
  private readonly watch: Pick<MadeCallsWatch, 'current'>;
  /** What users had made when this was learned. */
  private made: MadeCalls;
  private readonly relations = new Map<string, ResolvedName>();
  private lastPath: string | null = null;

  constructor(watch: Pick<MadeCallsWatch, 'current'>) {
    this.watch = watch;
    this.made = watch.current;
  }

  /** The search path under which a name was learned last. */
  get path(): string | null {
    return this.lastPath;
  }

  /** What names meant under a search path; null where that is not known of all. Whoever takes it has to ask whether it holds. */
  meanings(path: string, keys: readonly string[]): ResolvedName[] | null {
    this.follow();
    const known = keys.flatMap((key) => this.relations.get(`${path}\0${key}`) ?? []);
    return known.length === keys.length ? known : null;
  }

  /** To be called before a question is asked: returns the function that takes what is learned by the answer. */
  learner(): (path: string, key: string, meaning: ResolvedName) => void {
    this.follow();
    const { made } = this;
    return (path, key, meaning) => {
      if (made !== this.watch.current || !canBeShared(meaning)) return;
      if (this.relations.size > maxShared) this.relations.clear();
      this.lastPath = path;
      this.relations.set(`${path}\0${key}`, meaning);
    };
  }

  private follow(): void {
    if (this.made === this.watch.current) return;
    this.made = this.watch.current;
    this.relations.clear();
  }
}

/**
 * Whether `stage.names_hold` can tell that it holds: of a plain table that is staged, whose stamp tells all that changes. It takes the
 * whole look to see what partitions, children and views have got. What is so for one session or one transaction only is not shared.
 */
function canBeShared({ kind, stamp, standIn, parked }: ResolvedName): boolean {
  // stage.names_hold would not take it either
  if (kind !== 'table' || stamp === null) return false;
  return !parked && !standIn.isLacking && !standIn.isHidden && standIn.verify.signature !== '';
}
