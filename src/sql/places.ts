/** Parts of a statement with their byte ranges in its text. */
import type { QualifiedName } from './functions/calls.ts';
import type { ByteRange } from './splice.ts';

/** A relation's name as written, with its byte range in the statement. Names of CTEs in scope are not included. */
export interface RelationUse {
  /** The schema, folded and unquoted; null for an unqualified name. */
  readonly schema: string | null;
  /** The name, folded and unquoted. */
  readonly name: string;
  /**
   * First byte of the name including its schema, in UTF-8 bytes from the start of the statement's own text. A database prefix
   * (`db.schema.name`) is outside the range, so PostgreSQL still checks it after splicing.
   */
  readonly start: number;
  /** First byte after the name. */
  readonly end: number;
  /** Whether `ONLY name` is written. */
  readonly only: boolean;
  /** The kind of write whose target this relation is; null for a relation that is only read. */
  readonly target: 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE' | 'DEFINITION' | null;
  /** The OID of the role with whose rights a called function uses it, if these are not the client's. */
  readonly role?: number;
}

/** A function's name as written, with its byte range. The range has the same bounds as that of a relation's name. */
export interface CallPlace extends QualifiedName, ByteRange {
  /** Whether the call stands in a condition on the rows of tables: in WHERE or ON. */
  readonly isCondition?: true;
  /** The statement that stands for it in a copy, if it is no call but the statement NOTIFY. */
  readonly statement?: string;
}

/** The byte range of `schema.` in a column reference that qualifies its table with a schema (`public.t.c`). */
export interface Qualifier extends ByteRange {
  readonly schema: string;
  /** The table's name. To find the schema that replaces this one, resolve (schema, name) as a relation. */
  readonly name: string;
}

/** A part of a statement with its text. */
export interface TextPart extends ByteRange {
  readonly text: Buffer;
}
