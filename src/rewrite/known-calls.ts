/** What is known on this connection of the names that its statements call. */

import type { MadeCalls, MadeCallsWatch } from '../server-connection/made-calls.ts';
import type { QualifiedName, UnclearCall } from '../sql/functions/calls.ts';
import type { Called, Candidate, KnownCall } from './called-names.ts';
import { assessCandidates, calledKey, harmless } from './called-names.ts';

/** What names may stand for. */
export interface Found {
  /** For each name, in order. */
  readonly candidates: readonly (readonly Candidate[])[];
  /** What was known before is still good. */
  readonly isSamePath: boolean;
}

/** More names than any application uses: what fills the memory is not kept. */
const maxKept = 10_000;

export class KnownCalls {
  private readonly known = new Map<string, KnownCall>();
  private readonly find: (called: readonly Called[]) => Promise<Found>;
  private readonly allowedFunctions: readonly string[];
  private readonly watch: Pick<MadeCallsWatch, 'current'>;
  private made: MadeCalls;

  /** @param find asks the server for candidates, and has everything forgotten when the search path has changed */
  constructor(
    find: (called: readonly Called[]) => Promise<Found>,
    allowedFunctions: readonly string[],
    watch: Pick<MadeCallsWatch, 'current'>,
  ) {
    this.find = find;
    this.allowedFunctions = allowedFunctions;
    this.watch = watch;
    this.made = watch.current;
  }

  forget(): void {
    this.known.clear();
  }

  /** Forgets all where users have made something since; says whether they have. */
  follow(): boolean {
    const { current } = this.watch;
    if (current === this.made) return false;
    this.made = current;
    this.forget();
    return true;
  }

  /** Whether a read may make the calls, as far as is known, whatever the search path is by now. */
  areHarmless(calls: readonly UnclearCall[]): boolean {
    return this.asked(calls).every((each) => this.isHarmless(each));
  }

  /** Whether the calls of a read, which were asked about, run code of the database's users. */
  runCode(calls: readonly UnclearCall[]): boolean {
    return this.asked(calls).some((each) => this.known.get(calledKey(each))?.runsCode ?? true);
  }

  private isHarmless(called: Called): boolean {
    const known = this.known.get(calledKey(called));
    // guard: what another search path would find is asked each time
    return known !== undefined && known.harmfulInReads === null && !known.dependsOnPath;
  }

  /** Of what a read calls, what has to be known before it runs. */
  asked(calls: readonly UnclearCall[]): readonly Called[] {
    return this.made.among(calls);
  }

  get hasMadeTypes(): boolean {
    return this.made.hasTypes;
  }

  /** What a statement calls by names, what it may call without, and of the relations in it those that call something. */
  withUnnamed(called: readonly Called[], relations: readonly QualifiedName[]): readonly Called[] {
    const read = relations.map(({ schema, name }) => ({ kind: 'relation' as const, schema, name }));
    return this.made.withUnnamed([...called, ...read.filter((each) => this.made.has(each))]);
  }

  /** What depends on the search path is no longer known: functions that statements have called may have set it. */
  forgetDependent(calls: readonly UnclearCall[]): void {
    for (const each of this.asked(calls))
      if (!this.isHarmless(each)) this.known.delete(calledKey(each));
  }

  /** Assesses each of the names, and asks for those that are not known. */
  async assess(called: readonly Called[]): Promise<KnownCall[]> {
    const unknown = called.filter((each) => !this.known.has(calledKey(each)));
    if (unknown.length === 0)
      return called.map((each) => this.known.get(calledKey(each)) ?? harmless);
    const { candidates, isSamePath } = await this.find(unknown);
    if (this.known.size > maxKept) this.forget();
    for (const [index, each] of unknown.entries()) {
      const assessment = assessCandidates(candidates[index] ?? [], this.allowedFunctions);
      this.known.set(calledKey(each), assessment);
    }
    const assessments = isSamePath
      ? called.map((each) => this.known.get(calledKey(each)) ?? harmless)
      : await this.assess(called);
    // A function that does not exist may be created at any time, and nothing would tell.
    for (const [index, each] of unknown.entries()) {
      // guard: a function that does not exist is asked for again
      if (each.kind === 'function' && candidates[index]?.length === 0)
        this.known.delete(calledKey(each));
    }
    return assessments;
  }
}
