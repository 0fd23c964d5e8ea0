/** What the grammar says of a statement. It is decided once; what comes later works by the verdict and its places in the text. */
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from './functions/calls.ts';
import type { Grouping } from './locate/grouping.ts';
import type { ByteRange, Replacement } from './splice.ts';

/** A relation's name as written, with its place in the statement. Names of CTEs in scope are not relations. */
export interface RelationUse {
  /** The schema as written and folded, or null when the name is bare. */
  readonly schema: string | null;
  /** The name, folded and unquoted. */
  readonly name: string;
  /**
   * First byte of the name with its schema, in UTF-8 bytes from the start of the statement's own text. A database
   * before it (`db.schema.name`) stays outside the range, so that PostgreSQL still judges it after splicing.
   */
  readonly start: number;
  /** First byte after the name. */
  readonly end: number;
  /** `ONLY name` was written. */
  readonly only: boolean;
  /** Which write has this relation as its target; null for relations that are only read. */
  readonly target: 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE' | null;
}

/** A function's name as written, with its place: the same range as that of a relation's name. */
export interface CallPlace extends QualifiedName, ByteRange {}

/** The place of `schema.` in a column reference that names its table with its schema (`public.t.c`). */
export interface Qualifier extends ByteRange {
  readonly schema: string;
  /** The table's name. Resolve (schema, name) as a relation to learn whose schema has to stand here. */
  readonly name: string;
}

/** `COPY name [(columns)] TO STDOUT`, which PostgreSQL refuses on a view: where a query has to stand instead. */
export interface CopySource extends ByteRange {
  /** The column list without its parentheses, as written; null for all columns. */
  readonly columns: string | null;
  /** The columns listed, folded and unquoted. */
  readonly names: readonly string[];
}

/** `INSERT ... ON CONFLICT`: its clause is cut out of the statement, and handed to the view that the row goes to. */
export interface Upsert {
  /** First byte of the target's name, as in its RelationUse. */
  readonly target: number;
  /** By which DO UPDATE calls the target. */
  readonly alias: string;
  readonly clause: ByteRange;
  readonly arbiter: Arbiter;
  /** The assignments of DO UPDATE; null for DO NOTHING. */
  readonly set: ClausePart | null;
  readonly where: ClausePart | null;
}

/**
 * A MERGE, which runs on the overlay or, where PostgreSQL cannot merge into a view, on a table in its place. Calls are
 * those by which it is decided which rows match.
 */
export interface Merge extends Calls {
  /** First byte of the target's name, as in its RelationUse. */
  readonly target: number;
  /** The target's alias, if one is written. */
  readonly alias: string | null;
  /** Null when they could not be told for sure. */
  readonly parts: MergeParts | null;
  /** The rows that match may be others when they are looked for again. */
  readonly samples: boolean;
}

/** `[WITH ...] MERGE INTO target USING source ON condition`. */
export interface MergeParts {
  readonly ctes: TextPart | null;
  /** With ONLY and alias. */
  readonly target: TextPart;
  readonly source: TextPart;
  readonly condition: TextPart;
}

/** A part of a statement with its text. */
export interface TextPart extends ByteRange {
  readonly text: Buffer;
}

export interface ClausePart extends TextPart {
  /** The `$n` in it, in order, counted from the start of the statement as the part itself is. */
  readonly parameters: readonly Parameter[];
}

/** A `$n` in a statement. */
export interface Parameter extends ByteRange {
  readonly number: number;
}

/** Which unique indexes count. Elements and predicate are shapes, comparable with those of an index. */
export type Arbiter =
  | { readonly kind: 'any' }
  | { readonly kind: 'constraint'; readonly name: string }
  | {
      readonly kind: 'index';
      readonly elements: readonly string[];
      readonly predicate: string | null;
    };

/** `INSERT ... OVERRIDING SYSTEM VALUE` or `USER VALUE`. */
export interface Overriding {
  /** First byte of the target's name, as in its RelationUse. */
  readonly target: number;
  readonly value: 'system' | 'user';
}

/** `COPY ... FROM STDIN`: its data comes behind it. */
export interface CopyTarget {
  /** The columns as written and folded; null for all that can be given. */
  readonly columns: readonly string[] | null;
  /** Data may ask for a column's default (DEFAULT 'marker'). */
  readonly marksDefaults: boolean;
  /** Lines that cannot be converted may be left out (ON_ERROR). */
  readonly skipsErrors: boolean;
  /** What its WHERE names: columns, or the table for a whole row; without what stands before them. */
  readonly filters: readonly string[];
  /** First byte of its WHERE; null without one. */
  readonly where: number | null;
}

/** A right that a write needs, as PostgreSQL would ask for it. */
export interface Right {
  /** First byte of the target's name, as in its RelationUse. */
  readonly target: number;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  /** The columns that are written; null for the whole table. */
  readonly columns: readonly string[] | null;
  /** Those of them that are given anything but DEFAULT: by name or, of an INSERT without a list, by place from 0 on. */
  readonly given: readonly (string | number)[];
  /** What an INSERT says of identity columns. */
  readonly overriding: Overriding['value'] | null;
}

/** TRUNCATE: the range of the whole statement. */
export interface Truncate extends ByteRange {
  readonly cascades: boolean;
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

export interface Write extends Calls {
  readonly kind: 'write';
  /** As of a read. */
  readonly isQuery?: true;
  readonly relations: readonly RelationUse[];
  readonly locking: readonly ByteRange[];
  readonly qualifiers: readonly Qualifier[];
  readonly groupings: readonly Grouping[];
  readonly upserts: readonly Upsert[];
  readonly overriding: readonly Overriding[];
  readonly rights: readonly Right[];
  readonly merges: readonly Merge[];
  /** Counts where the write is not staged and PostgreSQL is to refuse it. */
  readonly unclear: readonly UnclearCall[];
  /** Set for COPY, whose one target is the first relation; null for queries. */
  readonly copy: CopyTarget | null;
  /** Set for TRUNCATE, whose relations are all targets. */
  readonly truncate: Truncate | null;
  /** As of a read. */
  readonly standIn?: Replacement;
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
  /** Arguments are byte ranges of the expressions, in order; calls are those in them. */
  | {
      readonly type: 'execute';
      readonly name: string;
      readonly arguments: readonly ByteRange[];
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
  /** UNLISTEN. */
  | { readonly type: 'pass' };

export interface Refusal {
  readonly kind: 'refuse';
  readonly sqlstate: string;
  readonly message: string;
  readonly hint: string;
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
