/**
 * Shares what connections have learned about called names. If all functions that a name may refer to are the server's own, and users have
 * created nothing of that name, the result is the same for every connection with that login and search path.
 */
import type { UserCallsMonitor } from '../server-connection/user-calls.ts';
import type { Called, Candidate } from './called-names.ts';
import { calledKey } from './called-names.ts';
import type { SharedNames } from './shared-names.ts';
import { SinceMade } from './since-made.ts';

/** The knowledge of other connections, for a new one. */
export interface SharedKnowledge {
  readonly names: SharedNames;
  readonly calls: SharedCalls;
  /** The login role. Privileges decide what a name can refer to. */
  readonly user: string;
  /** Whether a character of the database is a byte, as in SQL_ASCII. The server counts positions in characters. */
  readonly countsBytes: boolean;
}

export class SharedCalls {
  private readonly candidates: SinceMade<readonly Candidate[]>;

  constructor(monitor: Pick<UserCallsMonitor, 'current'>) {
    this.candidates = new SinceMade(monitor);
  }

  /** Returns the candidates for each of the names; null unless all are known. @param place the login and the search path */
  known(place: string, called: readonly Called[]): (readonly Candidate[])[] | null {
    return this.candidates.all(called.map((each) => keyOf(place, each)));
  }

  /** Returns the function that stores what a query returns. To be called before the query is sent. */
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
    // guard: functions that users have made under a name are resolved on each connection
    if (called.kind === 'relation' || this.candidates.userCalls.has(called)) return false;
    // a missing function may be created at any time without notice
    if (called.kind === 'function' && candidates.length === 0) return false;
    return candidates.every(({ schema }) => schema === 'pg_catalog');
  }
}

const keyOf = (place: string, called: Called) => `${place}\0${calledKey(called)}`;
