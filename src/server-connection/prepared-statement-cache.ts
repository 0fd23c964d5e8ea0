/**
 * Tracks which internal statements are prepared upstream and unchanged. A function of the client may run any SQL that does not write,
 * including DEALLOCATE and PREPARE. Where that matters, statements that were prepared before such code may have run are prepared again.
 */
import type { InternalStatement } from './internal-statement.ts';
import { internalPrefix } from './reserved-names.ts';

interface Place {
  readonly name: string;
  /** When the statement was prepared, as counters of code runs; null until the server has confirmed it. */
  moment: string | null;
}

/** The name of a prepared statement, and the function to call when it has failed. */
interface Use {
  readonly name: string;
  onFailure(): void;
}

/** The limit, because each statement takes server memory in every connection. */
const most = 32;

export class PreparedStatementCache {
  private readonly kind: string;
  private readonly runs: () => number;
  /** The statements by type OIDs and text; the oldest comes first. */
  private readonly places = new Map<string, Place>();
  private forgotten = 0;

  /**
   * @param kind the prefix of the statements' names
   * @param runs returns the number of code runs that may have replaced statements
   */
  constructor(kind: string, runs: () => number) {
    this.kind = kind;
    this.runs = runs;
  }

  /** Invalidates all statements: uncounted code may be about to run, or a command that drops prepared statements. */
  forget(): void {
    this.forgotten += 1;
  }

  /**
   * Returns the name of a statement that is about to run, and prepares it if necessary. Do not call it while code may be running: the
   * statement would then remain valid beyond that.
   * @param prepare prepares the statement under the name, and calls back when the server has confirmed
   */
  use(statement: InternalStatement, prepare: (name: string, onDone: () => void) => void): Use {
    const place = this.placeOf(statement);
    const moment = `${this.runs()} ${this.forgotten}`;
    // A failed statement, which may be missing, is prepared again.
    const onFailure = () => {
      place.moment = null;
    };
    // guard: an internal statement is prepared again when code may have replaced it
    if (place.moment !== moment) {
      place.moment = null;
      prepare(place.name, () => {
        place.moment = moment;
      });
    }
    return { name: place.name, onFailure };
  }

  /** Returns the place of a statement. A new statement gets a free name, or that of the oldest one. */
  private placeOf({ text, types = [] }: InternalStatement): Place {
    const key = `${types.join()} ${typeof text === 'string' ? text : text.bytes}`;
    const known = this.places.get(key);
    if (known !== undefined) return known;
    const made = { name: this.freeName(), moment: null };
    this.places.set(key, made);
    return made;
  }

  private freeName(): string {
    const [first] = this.places;
    if (first === undefined || this.places.size < most)
      return `${internalPrefix}${this.kind}_${this.places.size}`;
    this.places.delete(first[0]);
    return first[1].name;
  }
}
