/**
 * Which statements of the proxy's own are prepared upstream, and still are what they were. A function of the client's may run any SQL
 * that does not write, DEALLOCATE and PREPARE among it: where that matters, what was prepared before such code may have run is
 * prepared anew.
 */
import type { InternalStatement } from './internal-statement.ts';
import { ownPrefix } from './reserved-names.ts';

interface Place {
  readonly name: string;
  /** The moment of its preparation; null until the server has said that it is prepared. */
  moment: string | null;
}

/** The name under which a statement is prepared, and what is to be called when it has failed. */
interface Use {
  readonly name: string;
  onFailure(): void;
}

/** Each takes memory of the server's, in every connection. */
const most = 32;

export class KeptStatements {
  private readonly kind: string;
  private readonly runs: () => number;
  /** By type OIDs and text; the one that was made first comes first. */
  private readonly places = new Map<string, Place>();
  private forgotten = 0;

  /**
   * @param kind the beginning of their names
   * @param runs how often code has run that may have put others in their place
   */
  constructor(kind: string, runs: () => number) {
    this.kind = kind;
    this.runs = runs;
  }

  /** Code may be about to run that is not counted, or a command that drops what is prepared. */
  forget(): void {
    this.forgotten += 1;
  }

  /**
   * To be called for a statement that is about to run. Not while code may be running: it would be kept beyond that.
   * @param prepare prepares it under the name, and calls back when the server has done so
   */
  use(statement: InternalStatement, prepare: (name: string, onDone: () => void) => void): Use {
    const place = this.placeOf(statement);
    const moment = `${this.runs()} ${this.forgotten}`;
    // What has failed, perhaps for not being there, is prepared anew.
    const onFailure = () => {
      place.moment = null;
    };
    // guard: a statement of ours is prepared anew when code may have replaced it
    if (place.moment !== moment) {
      place.moment = null;
      prepare(place.name, () => {
        place.moment = moment;
      });
    }
    return { name: place.name, onFailure };
  }

  /** Gives the place of a statement: its own, or that of the one which was made first. */
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
      return `${ownPrefix}${this.kind}_${this.places.size}`;
    this.places.delete(first[0]);
    return first[1].name;
  }
}
