/** The form of a list of type cases. Each value of each subject is one case. */

/** A table with a column of one type, and the values written to it in turn: each update changes one value to the next. */
export interface Subject {
  /** The column's type with the words after it: `numeric(8,2)`, `citext COLLATE ...`. */
  readonly type: string;
  /** Input texts of the type; null for NULL. */
  readonly values: readonly (string | null)[];
  /** Texts that are refused on input: by the type, a domain, the column. */
  readonly refused?: readonly string[];
  /** Whether the column is the table's primary key. */
  readonly isKey?: boolean;
}

export interface Family {
  readonly name: string;
  /** SQL that creates types and functions. */
  readonly setup?: string;
  /** An extension, or `xml`. The family is skipped if the server lacks it. */
  readonly needs?: string;
  readonly subjects: readonly Subject[];
}
