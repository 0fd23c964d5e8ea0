/** Shares what connections have learned about relation names: verifying a known meaning is cheaper than resolving the name. */
import type { UserCallsMonitor } from '../server-connection/user-calls.ts';
import type { ResolvedName } from './resolved-name.ts';
import { SinceMade } from './since-made.ts';

export class SharedNames {
  private readonly relations: SinceMade<ResolvedName>;
  private lastPath: string | null = null;

  constructor(monitor: Pick<UserCallsMonitor, 'current'>) {
    this.relations = new SinceMade(monitor);
  }

  /** The search path under which a name was learned last. */
  get path(): string | null {
    return this.lastPath;
  }

  /** Returns the meanings of names under a search path; null unless all are known. The caller must verify that they hold. */
  meanings(path: string, keys: readonly string[]): ResolvedName[] | null {
    return this.relations.all(keys.map((key) => `${path}\0${key}`));
  }

  /** Returns the function that stores what a query returns. To be called before the query is sent. */
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
 * Returns whether `stage.names_are_valid` can verify a meaning: that of a plain table without an overlay, which it does not need for reads,
 * or with one, whose stamp reflects all changes. Partitions, children and views need the full resolution. Facts about a single session or
 * transaction are not shared.
 */
function canBeShared({ kind, isPlain, stamp, standIn, parked }: ResolvedName): boolean {
  const { signature } = standIn.verify;
  // stage.names_are_valid would reject it, too
  if (kind !== 'table' || signature === '') return false;
  // of other tables without a stamp, more than the overlay can change without notice
  if (stamp === null && !(isPlain && signature === null)) return false;
  return !parked && !standIn.isLacking && !standIn.isHidden;
}
