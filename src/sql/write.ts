/** The result of classifying a statement as a write, for each form of write. */
import type { Calls, UnclearCall } from './functions/calls.ts';
import type { Grouping } from './locate/grouping.ts';
import type { WholeRow } from './locate/whole-rows.ts';
import type { CallPlace, Qualifier, RelationUse, TextPart } from './places.ts';
import type { LockingPart, Read } from './read.ts';
import type { Refusal } from './refusal.ts';
import type { ByteRange, Replacement } from './splice.ts';

/** `INSERT ... ON CONFLICT`. The clause is cut out of the statement and passed to the view that receives the row. */
export interface Upsert {
  /** First byte of the target's name, as in its `RelationUse`. */
  readonly target: number;
  /** The name by which DO UPDATE refers to the target. */
  readonly alias: string;
  readonly clause: ByteRange;
  readonly arbiter: Arbiter;
  /** The assignments of DO UPDATE; null for DO NOTHING. */
  readonly set: ClausePart | null;
  readonly where: ClausePart | null;
}

/**
 * A MERGE. It runs on the overlay or, on a server that cannot merge into a view, on a table that replaces it. The calls are those that
 * decide which rows match.
 */
export interface Merge extends Calls {
  /** First byte of the target's name, as in its `RelationUse`. */
  readonly target: number;
  /** The target's alias as written; null without one. */
  readonly alias: string | null;
  /** Null if the parts cannot be located with certainty. */
  readonly parts: MergeParts | null;
  /** Whether evaluating the join twice may match different rows. */
  readonly samples: boolean;
}

/** `[WITH ...] MERGE INTO target USING source ON condition`. */
export interface MergeParts {
  readonly ctes: TextPart | null;
  /** Includes ONLY and the alias. */
  readonly target: TextPart;
  readonly source: TextPart;
  readonly condition: TextPart;
}

export interface ClausePart extends TextPart {
  /** The `$n` in the part, in order. Their ranges count from the start of the statement, as the part's own range does. */
  readonly parameters: readonly Parameter[];
}

/** A `$n` in a statement. */
export interface Parameter extends ByteRange {
  readonly number: number;
}

/** The unique indexes that ON CONFLICT considers. Elements and predicate are normalized, so they compare with those of an index. */
export type Arbiter =
  | { readonly kind: 'any' }
  | { readonly kind: 'constraint'; readonly name: string }
  | {
      readonly kind: 'index';
      readonly elements: readonly string[];
      readonly predicate: string | null;
      /** The text between ON CONFLICT and DO. */
      readonly words: ClausePart;
      /** The target's alias as written; null without one. */
      readonly alias: string | null;
    };

/** `INSERT ... OVERRIDING SYSTEM VALUE` or `USER VALUE`. */
export interface Overriding {
  /** First byte of the target's name, as in its `RelationUse`. */
  readonly target: number;
  readonly value: 'system' | 'user';
}

/** A privilege that a write needs, as PostgreSQL would check it. */
export interface Right {
  /** First byte of the target's name, as in its `RelationUse`. */
  readonly target: number;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  /** The columns that are written; null for the whole table. */
  readonly columns: readonly string[] | null;
  /** The columns that get a value other than DEFAULT: by name or, for an INSERT without a column list, by position from 0. */
  readonly given: readonly (string | number)[];
  /** The position from which on a star gives values, to an unknown number of columns; null without one, and with a column list. */
  readonly star: number | null;
  /** The OVERRIDING clause of an INSERT. */
  readonly overriding: Overriding['value'] | null;
  /**
   * The names of the columns that the statement reads: where some are the target's, policies for SELECT apply to the rows that it writes.
   * `*` stands for columns that are the target's for certain, the empty name for those of something else. In a function, other names may be
   * variables.
   */
  readonly reads: readonly string[];
  /** The names that an INSERT returns, among them columns of the target; null for all of its columns. */
  readonly returned: readonly string[] | null;
}

/** The rows that an UPDATE or DELETE changes. */
export interface ChangedRows {
  /** First byte of the target's name, as in its `RelationUse`. */
  readonly target: number;
  /** Whether the target has an alias. */
  readonly isNamed: boolean;
  /** Columns that the condition compares with one value each. */
  readonly fixed: readonly string[];
}

/** The parts that all forms of write have. */
interface AnyWrite extends Calls {
  readonly kind: 'write';
  readonly relations: readonly RelationUse[];
  readonly rights: readonly Right[];
  /** Only relevant if the write is not staged and PostgreSQL must refuse it. */
  readonly unclear: readonly UnclearCall[];
}

/**
 * INSERT, UPDATE, DELETE, MERGE, or a query that has some of them in WITH. Without a target it changes no rows, but runs only where writing
 * is possible.
 */
export interface QueryWrite extends AnyWrite {
  readonly form: 'query';
  /** See `Read.isQuery`. */
  readonly isQuery?: true;
  /** See `Read.called`. */
  readonly called: readonly CallPlace[];
  readonly locking: readonly ByteRange[];
  readonly lockingParts: readonly LockingPart[];
  readonly qualifiers: readonly Qualifier[];
  readonly groupings: readonly Grouping[];
  readonly wholeRows: readonly WholeRow[];
  readonly upserts: readonly Upsert[];
  readonly overriding: readonly Overriding[];
  readonly merges: readonly Merge[];
  /** The position of the target of an INSERT that may insert many rows and can be staged as a set; null for any other write. */
  readonly inserts: number | null;
  /** Set for an UPDATE or DELETE that can be staged as a set. */
  readonly changes: ChangedRows | null;
  /** See `Read.replacement`. */
  readonly replacement?: Replacement;
  /**
   * Set if it stages the writes of the functions that it calls, of the procedure of a CALL, or of a DO block. Only a `change`, which is an
   * INSERT, UPDATE or DELETE, has a target.
   */
  readonly stagesCalls?: 'SELECT' | 'change' | 'CALL' | 'DO';
  /** The block of a DO. */
  readonly block?: CodeBlock;
}

/** The block of PL/pgSQL that a DO runs: the range of the whole statement, and the text of the block. */
export interface CodeBlock extends ByteRange {
  readonly body: string;
}

/** `COPY ... FROM STDIN`. The first relation is its only target. Its data follows the statement. */
export interface CopyWrite extends AnyWrite {
  readonly form: 'copy';
  readonly qualifiers: readonly Qualifier[];
  /** The columns as written and folded; null for all insertable columns. */
  readonly columns: readonly string[] | null;
  /** Whether the data may request a column's default (DEFAULT 'marker'). */
  readonly marksDefaults: boolean;
  /** Whether lines that cannot be converted may be skipped (ON_ERROR). */
  readonly skipsErrors: boolean;
  /** The names that its WHERE uses: columns, or the table for a whole row; without qualifiers. */
  readonly filters: readonly string[];
  /** First byte of its WHERE; null without one. */
  readonly where: number | null;
}

/** TRUNCATE. All its relations are targets. */
export interface TruncateWrite extends AnyWrite {
  readonly form: 'truncate';
  readonly cascades: boolean;
  /** The range of the whole statement. */
  readonly range: ByteRange;
}

/**
 * A command that defines tables. It is sent only for temporary tables of the connection, which it qualifies with pg_temp. Its targets are
 * the existing tables that it changes.
 */
export interface DefinitionWrite extends AnyWrite {
  readonly form: 'definition';
  readonly command: string;
  /** The names of the relations and constraints that it creates. */
  readonly created: readonly string[];
  /** Whether a missing target is no error. */
  readonly skipsMissing: boolean;
  /** Whether it evaluates expressions, including those in the definitions of its targets. */
  readonly evaluates: boolean;
  /** Whether it copies more of other tables than their columns. */
  readonly copiesDefinition: boolean;
  /** The query that fills the table. */
  readonly query: Read | null;
  /** Replacements that apply regardless of how names resolve. */
  readonly fixed: readonly Replacement[];
  /** The replacement that turns it into a command that does not run its query; null if it runs none. */
  readonly probe: Replacement | null;
  /** The refusal for a target that is not a temporary table. */
  readonly refusal: Refusal;
}

export type Write = QueryWrite | CopyWrite | TruncateWrite | DefinitionWrite;
