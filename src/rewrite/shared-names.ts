/**
 * What connections have learned of relations' names, for those that begin: to ask whether it holds is cheaper than to ask what they
 * mean.
 */
import type { MadeCallsWatch } from '../server-connection/made-calls.ts';
import type { ResolvedName } from './resolved-name.ts';
import { SinceMade } from './since-made.ts';

export class SharedNames {
  private readonly relations: SinceMade<ResolvedName>;
  private lastPath: string | null = null;

  constructor(watch: Pick<MadeCallsWatch, 'current'>) {
    this.relations = new SinceMade(watch);
  }

  /** The search path under which a name was learned last. */
  get path(): string | null {
    return this.lastPath;
  }

  /** What names meant under a search path; null where that is not known of all. Whoever takes it has to ask whether it holds. */
  meanings(path: string, keys: readonly string[]): ResolvedName[] | null {
    return this.relations.all(keys.map((key) => `${path}\0${key}`));
  }

  /** To be called before a question is asked: returns the function that takes what is learned by the answer. */
  learner(): (path: string, key: string, meaning: ResolvedName) => void {
    const learn = this.relations.learner();
    return (path, key, meaning) => {
      if (!canBeShared(meaning)) return;
      learn(`${path}\0${key}`, meaning);
      this.lastPath = path;
    };
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
