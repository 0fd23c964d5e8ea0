/**
 * What connections have learned of the names that statements call, for those that begin: where all that a name may stand for is the
 * server's own, and users have made nothing of that name, it is the same for every connection with that login and search path.
 */
import type { MadeCallsWatch } from '../server-connection/made-calls.ts';
import type { Called, Candidate } from './called-names.ts';
import { calledKey } from './called-names.ts';
import type { SharedNames } from './shared-names.ts';
import { SinceMade } from './since-made.ts';

/** What connections have learned, for one that begins. */
export interface SharedKnowledge {
  readonly names: SharedNames;
  readonly calls: SharedCalls;
  /** Who has logged in: rights decide what a name can stand for. */
  readonly user: string;
}

export class SharedCalls {
  private readonly candidates: SinceMade<readonly Candidate[]>;

  constructor(watch: Pick<MadeCallsWatch, 'current'>) {
    this.candidates = new SinceMade(watch);
  }

  /** What each of the names may stand for; null where that is not known of all. @param place the login and the search path */
  known(place: string, called: readonly Called[]): (readonly Candidate[])[] | null {
    return this.candidates.all(called.map((each) => keyOf(place, each)));
  }

  /** To be called before a question is asked: returns the function that takes what is learned by the answer. */
  learner(): (
    place: string,
    called: readonly Called[],
    candidates: readonly (readonly Candidate[])[],
  ) => void {
    const learn = this.candidates.learner();
    return (place, called, candidates) => {
      for (const [index, each] of called.entries()) {
        const found = candidates[index] ?? [];
        if (this.canBeShared(each, found)) learn(keyOf(place, each), found);
      }
    };
  }

  private canBeShared(called: Called, candidates: readonly Candidate[]): boolean {
    // guard: what users have made of a name is asked about on each connection
    if (called.kind === 'relation' || this.candidates.made.has(called)) return false;
    // a function that does not exist may be created at any time, and nothing would tell
    if (called.kind === 'function' && candidates.length === 0) return false;
    return candidates.every(({ schema }) => schema === 'pg_catalog');
  }
}

const keyOf = (place: string, called: Called) => `${place}\0${calledKey(called)}`;
