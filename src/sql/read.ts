/** The result of classifying a statement as a read. */
import type { Calls, FunctionUse, UnclearCall } from './functions/calls.ts';
import type { Grouping } from './locate/grouping.ts';
import type { WholeRow } from './locate/whole-rows.ts';
import type { CallPlace, Qualifier, RelationUse, TextPart } from './places.ts';
import type { ByteRange, Replacement } from './splice.ts';

/** `COPY name [(columns)] TO STDOUT`. PostgreSQL refuses it on a view, so a query replaces this range. */
export interface CopySource extends ByteRange {
  /** The column list without its parentheses, as written; null for all columns. */
  readonly columns: string | null;
  /** The columns listed, folded and unquoted. */
  readonly names: readonly string[];
}

export interface Read {
  readonly kind: 'read';
  /** Whether the statement as a whole is a query, so no literal in it affects the classification. */
  readonly isQuery?: true;
  readonly relations: readonly RelationUse[];
  readonly functions: readonly FunctionUse[];
  readonly unclear: readonly UnclearCall[];
  /** Every call of a function by its name, in text order. */
  readonly called: readonly CallPlace[];
  /** Byte ranges of row locking clauses (`FOR UPDATE OF t NOWAIT` ...). A staged session must not run them. */
  readonly locking: readonly ByteRange[];
  readonly qualifiers: readonly Qualifier[];
  readonly groupings: readonly Grouping[];
  readonly wholeRows: readonly WholeRow[];
  /** Set for COPY of a table. When the table's name is replaced, `(SELECT columns FROM name)` replaces this range instead. */
  readonly copy: CopySource | null;
  /** Set if an internal text replaces the whole statement. */
  readonly replacement?: Replacement;
  /** Whether this is an EXPLAIN of a write, which requires the right to write in production. */
  readonly explainsWrite?: true;
  /** The relations whose rows the locking clauses name, which requires the right to UPDATE. Set if there are any. */
  readonly lockedRelations?: readonly RelationUse[];
  /** Set for a top-level SELECT that locks rows of tables. */
  readonly locks?: RowLocks;
}

/** The rows that a SELECT locks, and the places for the edits that turn its text into a query that takes the locks. */
export interface LockPlaces {
  readonly relations: readonly LockedRelation[];
  /** The end of the output columns, where more columns can be added. */
  readonly columnsEnd: number;
  readonly hasColumns: boolean;
  /** LIMIT, OFFSET and FETCH. */
  readonly limits: readonly TextPart[];
  /** The end of the SELECT. */
  readonly end: number;
}

/** The locks of a statement that is a SELECT. The calls are those of the whole statement. */
export interface RowLocks extends LockPlaces, Calls {
  /** The OFFSET clauses among `limits`, each with a text that skips no row. */
  readonly offsets: readonly Replacement[];
}

/** A SELECT within a write that waits for no row: it locks rows with NOWAIT or SKIP LOCKED. */
export interface LockingPart extends LockPlaces {
  readonly start: number;
  /** Its output columns: a name, or all columns of the relation with that first byte. */
  readonly columns: readonly (string | number)[];
}

export interface LockedRelation {
  /** First byte of the name, as in its `RelationUse`. */
  readonly start: number;
  /** The name by which the statement refers to the relation. */
  readonly alias: string;
  /** Whether the alias is written. */
  readonly isNamed: boolean;
  /** The behaviour on a row that another transaction has locked: NOWAIT fails, SKIP LOCKED omits the row. */
  readonly wait: 'wait' | 'nowait' | 'skip';
}
