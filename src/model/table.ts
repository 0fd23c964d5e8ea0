/** The definition of a production table, as staging needs it. All SQL texts in it are deparsed by PostgreSQL. */

/** The loss that the JSON of a value may have. `any` means that each value counts as affected, without a check. */
export type ExactTextKind =
  | 'jsonb'
  | 'float'
  | 'xml'
  | 'object name'
  | 'array'
  | 'float array'
  | 'any';

export interface Column {
  /** Attribute number, which stays the same when the column is renamed. */
  readonly number: number;
  readonly name: string;
  /** The type with its modifiers, and its collation if that is not the type's default: `character varying(20) COLLATE "C"`. */
  readonly type: string;
  /** The type without modifiers, for function parameters. */
  readonly baseType: string;
  /** Whether the type has a binary form, which depends on no setting. */
  readonly isSendable: boolean;
  /** The domain, if the column's type is a domain over `type`. */
  readonly domain: string | null;
  /** Whether some values may not convert to jsonb: the type may be or contain json, a composite, or a type with a custom cast to json. */
  readonly mayLackJson: boolean;
  /** How to distinguish values that have the same JSON; null if no two values do. */
  readonly exactText: ExactTextKind | null;
  readonly notNull: boolean;
  /** The expression of a generated column; null for an ordinary column. */
  readonly generated: {
    readonly expression: string;
    readonly stored: boolean;
    readonly columns: readonly string[];
    /** See `Check`. */
    readonly path: string | null;
  } | null;
  readonly identity: 'always' | 'by default' | null;
  readonly default: string | null;
  /** Qualified and quoted name of the sequence of a serial or identity column. */
  readonly sequence: string | null;
}

/** A column of the key that identifies a row, with the equality operator of its index. */
export interface KeyColumn {
  readonly name: string;
  /** Written as `OPERATOR(schema.=)`: with another search_path citext would compare as text. */
  readonly equals: string;
}

export interface Check {
  readonly name: string;
  readonly expression: string;
  readonly columns: readonly string[];
  /** The search path of functions of users that it calls, as quoted names; null if it calls none. */
  readonly path: string | null;
}

export interface UniqueElement {
  /** The column, or null for an expression. */
  readonly column: string | null;
  /** The quoted column, or the expression. */
  readonly definition: string;
  readonly type: string;
  /** The operator that makes two rows collide: equality, or that of an exclusion constraint. */
  readonly operator: string;
}

export interface Unique {
  readonly name: string;
  readonly oid: number;
  readonly kind: 'unique' | 'exclusion';
  /** The exclusion is a key WITHOUT OVERLAPS: its last column is a range, which is not empty and overlaps no range with the same key. */
  readonly withoutOverlaps: boolean;
  readonly elements: readonly UniqueElement[];
  /** Columns that the elements and the predicate mention. */
  readonly columns: readonly string[];
  readonly predicate: string | null;
  /** Whether it belongs to a partition; the predicate then holds for its rows only. */
  readonly ofPartition: boolean;
  /** Whether it is a constraint of that name, and not only an index. */
  readonly isConstraint: boolean;
  readonly nullsNotDistinct: boolean;
  readonly timing: 'immediate' | 'deferrable' | 'deferred';
  /** The full CREATE INDEX statement. */
  readonly indexDefinition: string;
  /** The index method, e.g. btree or gist. */
  readonly method: string;
}

export interface IndexElement {
  /** The column, or null for an expression. */
  readonly column: string | null;
  /** The expression in parentheses. */
  readonly definition: string;
  /** Collation, operator class and direction, where they are not the defaults. */
  readonly order: string;
}

/** A btree index, unique or not. */
export interface Index {
  readonly elements: readonly IndexElement[];
  readonly predicate: string | null;
}

export type ForeignKeyAction = 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default';

/** The partitions that form one end of a foreign key that is declared on them, not on their partitioned table. */
export interface EndPartitions {
  readonly oids: readonly number[];
  /** Whether they store rows, i.e. are not partitioned themselves. */
  readonly areLeaves: boolean;
  /** Columns of the partitioned table that distinguish their rows from those of other partitions. */
  readonly columns: readonly string[];
}

/** One end of a foreign key: a table (for partitions the partitioned one), and its columns in the key's order. */
export interface ForeignKeyEnd {
  readonly oid: number;
  readonly namespaceOid: number;
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  /** Null if the end is the whole table. */
  readonly partitions: EndPartitions | null;
}

/** A foreign key. Those of several partitions that are otherwise identical are merged into one, unless they are deferrable. */
export interface ForeignKey {
  readonly name: string;
  /** OIDs of the constraint; one for each partition if there are several. */
  readonly constraints: readonly number[];
  /** The referencing table. */
  readonly child: ForeignKeyEnd;
  /** The referenced table. */
  readonly parent: ForeignKeyEnd;
  /** Equality operators parent = child, as `OPERATOR(schema.=)`, in column order; for a period the overlap operator. */
  readonly equals: readonly string[];
  /** The same for parent = parent. */
  readonly parentEquals: readonly string[];
  /** Whether the last column is a PERIOD: the rows of the parent together must cover the period of a child row. */
  readonly hasPeriod: boolean;
  readonly matchFull: boolean;
  readonly onDelete: ForeignKeyAction;
  /** Columns that ON DELETE SET NULL or SET DEFAULT changes. */
  readonly onDeleteColumns: readonly string[];
  readonly onUpdate: ForeignKeyAction;
  readonly deferrable: boolean;
  readonly deferred: boolean;
}

/** A table of a partition tree. */
export interface Partition {
  readonly oid: number;
  /** The partition's bounds as an expression. */
  readonly bounds: string;
  /** Whether it stores rows, i.e. is not partitioned itself. */
  readonly isLeaf: boolean;
  /** Only for leaves: NOT NULL columns that may be null in other partitions. */
  readonly notNull: readonly string[];
  /** The columns of the partition key; empty if it contains expressions. */
  readonly key: readonly string[];
}

/** A row-level security policy. */
export interface Policy {
  readonly name: string;
  readonly command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  readonly isPermissive: boolean;
  /** OIDs of the roles it applies to; 0 is PUBLIC. */
  readonly roles: readonly number[];
  /** The condition for rows that can be seen or touched. */
  readonly using: string | null;
  /** The condition for new rows; null if `using` applies to them. */
  readonly check: string | null;
}

/** An enabled trigger that users created. */
export interface Trigger {
  readonly name: string;
  readonly timing: 'before' | 'after';
  readonly level: 'row' | 'statement';
  readonly events: readonly ('insert' | 'update' | 'delete' | 'truncate')[];
  /** The columns of UPDATE OF; null if it fires for any update. */
  readonly columns: readonly string[] | null;
  readonly arguments: readonly string[];
  /** The names of its transition tables, or null. */
  readonly oldTable: string | null;
  readonly newTable: string | null;
  /** Of a constraint trigger: whether it fires at COMMIT unless SET CONSTRAINTS makes it immediate; null if it is not deferrable. */
  readonly deferred: boolean | null;
  /** The full CREATE TRIGGER statement; null without a condition. */
  readonly definition: string | null;
  readonly function: TriggerFunction;
  /** The reason why it does not fire while rows are staged, if the catalogs show one, as the end of "trigger ...". */
  readonly obstacle: string | null;
}

interface TriggerFunction {
  readonly schema: string;
  readonly name: string;
  /** In PL/pgSQL. */
  readonly body: string;
  /**
   * The columns from which a compiled function computes a column of the row. It fires as it is, for the rows of a table that stores none,
   * and does nothing for updates of other columns. Null for all others.
   */
  readonly gated: readonly string[] | null;
  /** The schemas of its SET search_path, in order; null without that clause. */
  readonly path: readonly string[] | null;
  /** Its owner, with whose rights it runs: OID and name; null if it runs with those of the client. */
  readonly definer: { readonly role: number; readonly name: string } | null;
}

export interface Table {
  readonly oid: number;
  readonly namespaceOid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'partitioned';
  readonly columns: readonly Column[];
  /** Columns of the primary key, else of the first usable NOT NULL unique index; empty for a keyless table. */
  readonly key: readonly KeyColumn[];
  /** Name of the index of the key. */
  readonly keyIndex: string | null;
  /** For keyless and inherited tables: indexed columns by which whole rows are looked up. */
  readonly lookup: readonly KeyColumn[];
  /** Whether it has a parent or children in an inheritance tree, and is no partition. */
  readonly isInherited: boolean;
  /** Whether other tables inherit from it, and it is not partitioned. */
  readonly hasChildren: boolean;
  /** Keys of the tables that it inherits from, if they differ from its own. */
  readonly ancestorKeys: readonly (readonly string[])[];
  readonly checks: readonly Check[];
  readonly uniques: readonly Unique[];
  /** Indexes that the shadow table can have as well; not part of the signature. */
  readonly indexes: readonly Index[];
  /** Foreign keys in which this table is the child. */
  readonly references: readonly ForeignKey[];
  /** Foreign keys in which this table is the parent. */
  readonly referencedBy: readonly ForeignKey[];
  /** The partitions, followed by the partitioned table itself: children come before their parents. Empty for ordinary tables. */
  readonly partitions: readonly Partition[];
  /** Columns that determine the partition of a row. */
  readonly partitionColumns: readonly string[];
  /** Row-level security policies; null if row-level security is not enabled. */
  readonly policies: readonly Policy[] | null;
  /** Enabled triggers of users, in the order in which they fire. */
  readonly triggers: readonly Trigger[];
  /** The reason why the table cannot be staged, or null. */
  readonly obstacle: string | null;
  /** The settings of applications that code of users reads, in the whole database. No part of the signature. */
  readonly settings: readonly string[];
  /** Changes whenever anything above changes, except for settings and for indexes that enforce nothing. */
  readonly signature: string;
  /** Changes whenever the signature does, and is cheap to compute again: see `stage.is_as_built`. */
  readonly stamp: string;
  /** The stamps that statements compare, of the moment when the definition was read. */
  readonly statementStamps: StatementStamps;
}

export interface StatementStamps {
  /** See `stage.table_stamp`. */
  readonly table: string;
  /** See `stage.partitions_stamp`; null for a table without partitions. */
  readonly partitions: string | null;
  /** The file of the table, which changes when all rows are rewritten; null for a partitioned table. */
  readonly storage: string | null;
}

/** Returns the name shown to users: bare in schema public, else `schema.table`. It is unique. */
export function shownName(schema: string, name: string): string {
  return (schema === 'public' ? [name] : [schema, name]).map(shownPart).join('.');
}

/** Quotes a part if it contains a dot or a quote: it would look like two parts. */
function shownPart(part: string): string {
  return /[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part;
}

/** Normalizes a table name that a user wrote, as shown or quoted as in SQL, to the shown name. */
export function shownAs(written: string): string {
  const parts = shownParts(written);
  const [schema = '', name = schema] = parts.length === 1 ? ['public', ...parts] : parts;
  return parts.length > 2 ? written : shownName(schema, name);
}

/** Splits a shown name into its parts: the table's name, or schema and name. The inverse of `shownName`. */
export function shownParts(shown: string): string[] {
  const parts = shown.match(/"(?:[^"]|"")*"|[^."]+/g) ?? [];
  return parts.map((part) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part,
  );
}
