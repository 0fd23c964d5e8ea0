/** Decides which check is sent along with a read, and whether the read needs overlays. */
import type { Verification } from '../server-connection/prepared-statements.ts';
import type { Read } from '../sql/read.ts';
import type { FunctionNames } from './function-names.ts';
import { hasNames } from './query-planner.ts';
import type { Names } from './relation-names.ts';

export class ReadChecks {
  private readonly names: Names;
  private readonly functions: FunctionNames;
  private readonly known = new WeakMap<Read, Verification>();

  constructor(names: Names, functions: FunctionNames) {
    this.names = names;
    this.functions = functions;
  }

  /** Returns the check that suffices for a read's cached names; null if it has no names, or needs more checks. */
  verification(read: Read): Verification | null {
    if (!hasNames(read) || read.copy || read.locks || !this.functions.arePlain(read.called))
      return null;
    const known = this.known.get(read);
    if (known?.version === this.names.version) return known;
    const untouched = this.mayPass(read) ? this.names.untouched(read.relations) : null;
    const made = untouched ?? this.names.verification(read.relations);
    if (made !== null) this.known.set(read, made);
    return made;
  }

  /**
   * Returns whether a read may be sent as it is while the session has staged nothing in any of its tables. All of them: rows that are
   * staged in several tables at once are seen in all or in none.
   */
  mayPass(read: Read): boolean {
    return !read.locks && !read.explainsWrite && this.functions.arePlain(read.called);
  }
}

/** Returns the relations of a read. COPY of a table reads only the table's own rows, without children. */
export const relationsOf = ({ copy, relations }: Read) =>
  copy ? relations.map((use) => ({ ...use, only: true })) : relations;
