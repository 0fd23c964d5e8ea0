/** What the grammar says of a read. */
import type { Calls, FunctionUse, UnclearCall } from './functions/calls.ts';
import type { Grouping } from './locate/grouping.ts';
import type { CallPlace, Qualifier, RelationUse, TextPart } from './places.ts';
import type { ByteRange, Replacement } from './splice.ts';

/** `COPY name [(columns)] TO STDOUT`, which PostgreSQL refuses on a view: where a query has to stand instead. */
export interface CopySource extends ByteRange {
  /** The column list without its parentheses, as written; null for all columns. */
  readonly columns: string | null;
  /** The columns listed, folded and unquoted. */
  readonly names: readonly string[];
}

export interface Read {
  readonly kind: 'read';
  /** It is a query and the whole statement: no literal in it decides anything. */
  readonly isQuery?: true;
  readonly relations: readonly RelationUse[];
  readonly functions: readonly FunctionUse[];
  readonly unclear: readonly UnclearCall[];
  /** Every call of a function by its name, in order. */
  readonly called: readonly CallPlace[];
  /** Byte ranges of row locking clauses (`FOR UPDATE OF t NOWAIT` ...), which a staged session must not run. */
  readonly locking: readonly ByteRange[];
  readonly qualifiers: readonly Qualifier[];
  readonly groupings: readonly Grouping[];
  /** Set for COPY of a table: when its name is spliced, splice `(SELECT columns FROM name)` over this range instead. */
  readonly copy: CopySource | null;
  /** Set where a text of ours is sent in the place of the whole statement. */
  readonly standIn?: Replacement;
  /** It is an EXPLAIN of a write, which takes the right to write in production. */
  readonly explainsWrite?: true;
  /** Set for a SELECT that is a statement of its own and locks rows of tables. */
  readonly locks?: RowLocks;
}

/**
 * The rows that a SELECT locks, and where its text can be made into a query that takes the locks. Calls are those of the
 * whole statement.
 */
export interface RowLocks extends Calls {
  readonly relations: readonly LockedRelation[];
  /** Behind the output columns, where more of them can be added. */
  readonly columnsEnd: number;
  readonly hasColumns: boolean;
  /** LIMIT, OFFSET and FETCH. */
  readonly limits: readonly TextPart[];
  /** Of these, each OFFSET, and with what in its place no row is left out. */
  readonly offsets: readonly Replacement[];
  /** Behind the statement. */
  readonly end: number;
}

export interface LockedRelation {
  /** First byte of the name, as in its RelationUse. */
  readonly start: number;
  /** By which the statement calls the relation. */
  readonly alias: string;
  /** The alias is written. */
  readonly isNamed: boolean;
  /** What to do about a row that somebody else has locked: NOWAIT fails, SKIP LOCKED leaves it out. */
  readonly wait: 'wait' | 'nowait' | 'skip';
}
