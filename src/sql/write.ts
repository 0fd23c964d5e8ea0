/** What the grammar says of a write, by its form. */
import type { Calls, UnclearCall } from './functions/calls.ts';
import type { Grouping } from './locate/grouping.ts';
import type { Qualifier, RelationUse, TextPart } from './places.ts';
import type { Read } from './read.ts';
import type { Refusal } from './refusal.ts';
import type { ByteRange, Replacement } from './splice.ts';

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
      /** What stands between ON CONFLICT and DO. */
      readonly words: ClausePart;
    };

/** `INSERT ... OVERRIDING SYSTEM VALUE` or `USER VALUE`. */
export interface Overriding {
  /** First byte of the target's name, as in its RelationUse. */
  readonly target: number;
  readonly value: 'system' | 'user';
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

/** What an UPDATE or DELETE changes. */
export interface ChangedRows {
  /** First byte of the target's name, as in its RelationUse. */
  readonly target: number;
  /** The target has an alias. */
  readonly isNamed: boolean;
  /** Columns that the condition compares with one value each. */
  readonly fixed: readonly string[];
}

/** What a write of any form says. */
interface AnyWrite extends Calls {
  readonly kind: 'write';
  readonly relations: readonly RelationUse[];
  readonly rights: readonly Right[];
  /** Counts where the write is not staged and PostgreSQL is to refuse it. */
  readonly unclear: readonly UnclearCall[];
}

/**
 * INSERT, UPDATE, DELETE, MERGE, or a query with some of them in WITH. Without a target it changes no rows, but runs only
 * where writing is possible.
 */
export interface QueryWrite extends AnyWrite {
  readonly form: 'query';
  /** As of a read. */
  readonly isQuery?: true;
  readonly locking: readonly ByteRange[];
  readonly qualifiers: readonly Qualifier[];
  readonly groupings: readonly Grouping[];
  readonly upserts: readonly Upsert[];
  readonly overriding: readonly Overriding[];
  readonly merges: readonly Merge[];
  /** The place of the target of an INSERT whose rows can be staged as a set, and may be many; null for any other write. */
  readonly brings: number | null;
  /** Of an UPDATE or DELETE that can be staged as a set. */
  readonly changes: ChangedRows | null;
  /** As of a read. */
  readonly standIn?: Replacement;
}

/** `COPY ... FROM STDIN`, whose one target is the first relation: its data comes behind it. */
export interface CopyWrite extends AnyWrite {
  readonly form: 'copy';
  readonly qualifiers: readonly Qualifier[];
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

/** TRUNCATE, whose relations are all targets. */
export interface TruncateWrite extends AnyWrite {
  readonly form: 'truncate';
  readonly cascades: boolean;
  /** Of the whole statement. */
  readonly range: ByteRange;
}

/**
 * A command that defines tables. It is sent to the server for temporary tables of the connection alone, which it calls by the schema
 * pg_temp; its targets are the tables that are there already and that it changes.
 */
export interface DefinitionWrite extends AnyWrite {
  readonly form: 'definition';
  readonly command: string;
  /** The names that relations and constraints get. */
  readonly created: readonly string[];
  /** A target that does not exist is no error. */
  readonly skipsMissing: boolean;
  /** It computes expressions, and those that its targets are defined by. */
  readonly evaluates: boolean;
  /** It copies more of other tables than their columns. */
  readonly copiesDefinition: boolean;
  /** The query that fills the table. */
  readonly query: Read | null;
  /** What is replaced whatever names mean. */
  readonly fixed: readonly Replacement[];
  /** Makes of it a command that does not run its query; null without one that runs. */
  readonly probe: Replacement | null;
  /** What is said where a target is no temporary table. */
  readonly refusal: Refusal;
}

export type Write = QueryWrite | CopyWrite | TruncateWrite | DefinitionWrite;
