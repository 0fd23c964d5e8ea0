/** What a list of type cases is made of. Each value of each subject is one case. */

/** A table with a column of one type, and the values written to it in turn: updates take a value to the next one. */
export interface Subject {
  /** The column's type with what else stands behind its name: `numeric(8,2)`, `citext COLLATE ...`. */
  readonly type: string;
  /** Texts that the type's input takes; null for NULL. */
  readonly values: readonly (string | null)[];
  /** Texts that are refused on the way in: by the input, a domain, the column. */
  readonly refused?: readonly string[];
  /** The column is the table's primary key. */
  readonly isKey?: boolean;
}

export interface Family {
  readonly name: string;
  /** SQL that makes types and functions. */
  readonly setup?: string;
  /** The server must have it, or the family is skipped: an extension, or `xml`. */
  readonly needs?: string;
  readonly subjects: readonly Subject[];
}
