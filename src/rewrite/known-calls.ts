/** The connection's cache of the names that its statements call. */

import type { UserCalls, UserCallsMonitor } from '../server-connection/user-calls.ts';
import type { QualifiedName, UnclearCall } from '../sql/functions/calls.ts';
import type { Called, Candidate, KnownCall } from './called-names.ts';
import { assessCandidates, calledKey, harmless } from './called-names.ts';

/** The functions that names may refer to. */
export interface Found {
  /** The candidates for each name, in order. */
  readonly candidates: readonly (readonly Candidate[])[];
  /** Whether the cache is still valid, because the search path is unchanged. */
  readonly isSamePath: boolean;
}

/** Maximum number of cached names, to bound memory; applications use fewer. */
const maxCached = 10_000;

export class KnownCalls {
  private readonly known = new Map<string, KnownCall>();
  private readonly find: (called: readonly Called[]) => Promise<Found>;
  private readonly allowedFunctions: readonly string[];
  private readonly monitor: Pick<UserCallsMonitor, 'current'>;
  private userCalls: UserCalls;

  /** @param find queries the server for candidates, and clears all caches if the search path has changed */
  constructor(
    find: (called: readonly Called[]) => Promise<Found>,
    allowedFunctions: readonly string[],
    monitor: Pick<UserCallsMonitor, 'current'>,
  ) {
    this.find = find;
    this.allowedFunctions = allowedFunctions;
    this.monitor = monitor;
    this.userCalls = monitor.current;
  }

  forget(): void {
    this.known.clear();
  }

  /** Clears the cache if users have created objects since. Returns whether they have. */
  follow(): boolean {
    const { current } = this.monitor;
    if (current === this.userCalls) return false;
    this.userCalls = current;
    this.forget();
    return true;
  }

  /** Returns whether the cache shows that a read may make the calls, whatever the search path is now. */
  areHarmless(calls: readonly UnclearCall[]): boolean {
    return this.assessed(calls).every((each) => this.isHarmless(each));
  }

  /** Returns whether the calls of a read run code of the database's users. The calls must have been assessed before. */
  runCode(calls: readonly UnclearCall[]): boolean {
    return this.assessed(calls).some((each) => this.known.get(calledKey(each))?.runsCode ?? true);
  }

  private isHarmless(called: Called): boolean {
    const known = this.known.get(calledKey(called));
    // guard: a name that depends on the search path is resolved each time
    return known !== undefined && known.harmfulInReads === null && !known.dependsOnPath;
  }

  /** Returns the calls of a read that must be assessed before it runs. */
  assessed(calls: readonly UnclearCall[]): readonly Called[] {
    return this.userCalls.among(calls);
  }

  /** Returns whether a function's name can refer to no functions but those of the server and of extensions. */
  isOfServer(name: QualifiedName): boolean {
    return this.userCalls.isOfServer(name);
  }

  get hasMadeTypes(): boolean {
    return this.userCalls.hasTypes;
  }

  /** Returns a statement's calls by name, its possible implicit calls, and the relations in it that make calls. */
  withUnnamed(called: readonly Called[], relations: readonly QualifiedName[]): readonly Called[] {
    const read = relations.map(({ schema, name }) => ({ kind: 'relation' as const, schema, name }));
    return this.userCalls.withUnnamed([
      ...called,
      ...read.filter((each) => this.userCalls.has(each)),
    ]);
  }

  /** Removes assessments that depend on the search path from the cache, because functions that statements have called may have set it. */
  forgetDependent(calls: readonly UnclearCall[]): void {
    for (const each of this.assessed(calls))
      if (!this.isHarmless(each)) this.known.delete(calledKey(each));
  }

  /** Returns the assessment of each name. The server is queried for those that are not cached. */
  async assess(called: readonly Called[]): Promise<KnownCall[]> {
    const unknown = called.filter((each) => !this.known.has(calledKey(each)));
    if (unknown.length === 0)
      return called.map((each) => this.known.get(calledKey(each)) ?? harmless);
    const { candidates, isSamePath } = await this.find(unknown);
    if (this.known.size > maxCached) this.forget();
    for (const [index, each] of unknown.entries()) {
      const assessment = assessCandidates(candidates[index] ?? [], this.allowedFunctions);
      this.known.set(calledKey(each), assessment);
    }
    const assessments = isSamePath
      ? called.map((each) => this.known.get(calledKey(each)) ?? harmless)
      : await this.assess(called);
    // A missing function may be created at any time without notice.
    for (const [index, each] of unknown.entries()) {
      // guard: a function that does not exist is resolved again
      if (each.kind === 'function' && candidates[index]?.length === 0)
        this.known.delete(calledKey(each));
    }
    return assessments;
  }
}
