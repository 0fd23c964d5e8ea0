/** What the grammar says of a statement. It is decided once; what comes later works by the verdict and its places in the text. */
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from './functions/calls.ts';
import type { Grouping } from './locate/grouping.ts';
import type { CallPlace, Qualifier, RelationUse, TextPart } from './places.ts';
import type { ByteRange, Replacement } from './splice.ts';
import type { Write } from './write.ts';

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

export interface Control {
  readonly kind: 'control';
  readonly action: ControlAction;
}

export type ControlAction =
  | { readonly type: 'begin'; readonly access: 'read write' | 'read only' | null }
  | { readonly type: 'commit'; readonly chain: boolean }
  | { readonly type: 'rollback'; readonly chain: boolean }
  | { readonly type: 'savepoint' | 'release' | 'rollback to'; readonly name: string }
  /** SET TRANSACTION of the running transaction. */
  | { readonly type: 'set transaction'; readonly access: 'read write' | 'read only' | null }
  /** Null for ALL. */
  | {
      readonly type: 'set constraints';
      readonly names: readonly QualifiedName[] | null;
      readonly deferred: boolean;
    }
  /** A setting that changes how names resolve: forget resolved names. */
  | { readonly type: 'set path' }
  /** Any other SET or RESET that may pass as it is. */
  | { readonly type: 'set' }
  /** SET SESSION CHARACTERISTICS or default_transaction_read_only: never forwarded as it is. `default` and `reset` by SET and RESET. */
  | {
      readonly type: 'set access';
      readonly to: 'read write' | 'read only' | 'default' | 'reset';
    }
  /** RESET ALL. */
  | { readonly type: 'reset all' }
  | { readonly type: 'discard'; readonly what: 'all' | 'plans' | 'sequences' | 'temp' }
  /** The body's ranges count from the start of the whole statement, as `bodyRange` does. */
  | {
      readonly type: 'prepare';
      readonly name: string;
      readonly body: Read | Write;
      readonly bodyRange: ByteRange;
      /** From behind the name to AS: the place of the types of its parameters. */
      readonly typesRange: ByteRange;
    }
  /** Arguments are byte ranges of the expressions, in order, and the text of each that is a constant; calls are those in them. */
  | {
      readonly type: 'execute';
      readonly name: string;
      readonly arguments: readonly ByteRange[];
      readonly constants: readonly (string | null)[];
      readonly calls: Calls;
      readonly unclear: readonly UnclearCall[];
    }
  | { readonly type: 'deallocate'; readonly name: string | null }
  | {
      readonly type: 'declare';
      readonly name: string;
      readonly body: Read;
      /** WITH HOLD: what is left of the query runs at COMMIT. */
      readonly holds: boolean;
    }
  | { readonly type: 'fetch' | 'close'; readonly name: string | null }
  /** LISTEN and UNLISTEN. */
  | { readonly type: 'pass' };

export interface Refusal {
  readonly kind: 'refuse';
  readonly sqlstate: string;
  readonly message: string;
  readonly hint: string;
  /** In characters of a text of several statements, from 1. */
  readonly position?: number;
}

export type Verdict = Read | Write | Control | Refusal;

/** One statement of a query string. */
export interface Statement {
  /** Where the text starts in the query string, in bytes (PostgreSQL counts error positions from the whole string). */
  readonly start: number;
  /**
   * The statement's own text in UTF-8, from its first word on, without the terminating semicolon; it may end in a
   * comment, so what is appended has to begin with a line break. All ranges of the verdict count from its start.
   */
  readonly text: Buffer;
  readonly verdict: Verdict;
}
