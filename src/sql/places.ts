/** Parts of a statement with their places in its text. */
import type { QualifiedName } from './functions/calls.ts';
import type { ByteRange } from './splice.ts';

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
  readonly target: 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE' | 'DEFINITION' | null;
}

/** A function's name as written, with its place: the same range as that of a relation's name. */
export interface CallPlace extends QualifiedName, ByteRange {}

/** The place of `schema.` in a column reference that names its table with its schema (`public.t.c`). */
export interface Qualifier extends ByteRange {
  readonly schema: string;
  /** The table's name. Resolve (schema, name) as a relation to learn whose schema has to stand here. */
  readonly name: string;
}

/** A part of a statement with its text. */
export interface TextPart extends ByteRange {
  readonly text: Buffer;
}
