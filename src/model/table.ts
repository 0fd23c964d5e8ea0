/** The shape of a production table, as far as staging has to know it. All SQL texts in it are PostgreSQL's own deparsed text. */

/** What the JSON of a value may leave out; `any` where that is not looked at, but taken for granted. */
export type ExactTextKind =
  | 'jsonb'
  | 'float'
  | 'xml'
  | 'object name'
  | 'array'
  | 'float array'
  | 'any';

export interface Column {
  /** Stays the same while the column lives, whatever its name becomes. */
  readonly number: number;
  readonly name: string;
  /** Type with modifiers and, where it is not the type's own, collation: `character varying(20) COLLATE "C"`. */
  readonly type: string;
  /** Type without modifiers, for function parameters. */
  readonly baseType: string;
  /** The type has a binary form, which depends on no setting. */
  readonly isSendable: boolean;
  /** The domain over that type, if the column is of one. */
  readonly domain: string | null;
  /** Not every value can be made jsonb: it may be, or contain, one of type json, or one that a cast of somebody's own refuses. */
  readonly mayLackJson: boolean;
  /** How values are told apart that have the same JSON; null where no two have. */
  readonly exactText: ExactTextKind | null;
  readonly notNull: boolean;
  /** A generated column's expression; null for an ordinary column. */
  readonly generated: {
    readonly expression: string;
    readonly stored: boolean;
    readonly columns: readonly string[];
  } | null;
  readonly identity: 'always' | 'by default' | null;
  readonly default: string | null;
  /** Qualified and quoted name of the sequence that feeds the column (serial or identity). */
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
}

export interface UniqueElement {
  /** The column, or null for an expression. */
  readonly column: string | null;
  /** The column quoted, or the expression. */
  readonly definition: string;
  readonly type: string;
  /** The operator that makes two rows collide: equality, or an exclusion constraint's own. */
  readonly operator: string;
}

export interface Unique {
  readonly name: string;
  readonly oid: number;
  readonly kind: 'unique' | 'exclusion';
  /** An exclusion that is a key: its last column is a range, not empty, and that of no other row with the same key overlaps it. */
  readonly withoutOverlaps: boolean;
  readonly elements: readonly UniqueElement[];
  /** Columns that elements and predicate mention. */
  readonly columns: readonly string[];
  readonly predicate: string | null;
  /** It is a partition's own, and the predicate holds for its rows only. */
  readonly ofPartition: boolean;
  /** It is a constraint of that name, and not an index alone. */
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
  /** Collation, operator class and direction, where they are not the usual ones. */
  readonly order: string;
}

/** A btree index, unique or not. */
export interface Index {
  readonly elements: readonly IndexElement[];
  readonly predicate: string | null;
}

export type ForeignKeyAction = 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default';

/** Partitions that alone are at one end of a foreign key, which was declared on them and not on their partitioned table. */
export interface EndPartitions {
  readonly oids: readonly number[];
  /** They hold rows, and are not partitioned themselves. */
  readonly areLeaves: boolean;
  /** Columns of the partitioned table by which its rows are told from those of other partitions. */
  readonly columns: readonly string[];
}

/** One end of a foreign key: a table, the partitioned one for its partitions, and, in the key's order, its columns. */
export interface ForeignKeyEnd {
  readonly oid: number;
  readonly namespaceOid: number;
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  /** Null where the table as a whole is meant. */
  readonly partitions: EndPartitions | null;
}

/** Those of several partitions that differ in nothing else are one, unless they can be deferred. */
export interface ForeignKey {
  readonly name: string;
  /** The constraint by its OID; of several partitions each one's. */
  readonly constraints: readonly number[];
  /** The referencing table. */
  readonly child: ForeignKeyEnd;
  /** The referenced table. */
  readonly parent: ForeignKeyEnd;
  /** Equality operators parent = child, as `OPERATOR(schema.=)`, in column order; that of a period is overlap. */
  readonly equals: readonly string[];
  /** The same for parent = parent. */
  readonly parentEquals: readonly string[];
  /** The last column is a PERIOD: what rows of the parent cover together, a row of the child may refer to. */
  readonly hasPeriod: boolean;
  readonly matchFull: boolean;
  readonly onDelete: ForeignKeyAction;
  /** Columns that SET NULL or SET DEFAULT of a delete touches. */
  readonly onDeleteColumns: readonly string[];
  readonly onUpdate: ForeignKeyAction;
  readonly deferrable: boolean;
  readonly deferred: boolean;
}

/** A table of a tree of partitions. */
export interface Partition {
  readonly oid: number;
  /** Which rows it takes, as an expression. */
  readonly bounds: string;
  /** It holds rows, and is not partitioned itself. */
  readonly isLeaf: boolean;
  /** Of a leaf: columns that may be null in other partitions. */
  readonly notNull: readonly string[];
  /** The columns by which it is partitioned; empty where there are expressions among them. */
  readonly key: readonly string[];
}

/** A row-level security policy. */
export interface Policy {
  readonly name: string;
  readonly command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  readonly isPermissive: boolean;
  /** OIDs of the roles it is for; 0 is PUBLIC. */
  readonly roles: readonly number[];
  /** What a row must be to be seen or touched. */
  readonly using: string | null;
  /** What a new row must be; null where `using` says it. */
  readonly check: string | null;
}

export interface Table {
  readonly oid: number;
  readonly namespaceOid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'partitioned';
  readonly columns: readonly Column[];
  /** Columns of the primary key, else of the first usable NOT NULL unique index; empty when there is none: keyless. */
  readonly key: readonly KeyColumn[];
  /** Name of the index behind the key. */
  readonly keyIndex: string | null;
  /** Of a keyless table: columns by whose indexes whole rows are looked up. */
  readonly lookup: readonly KeyColumn[];
  /** Part of an inheritance tree: it has a parent or children, and is no partition. */
  readonly isInherited: boolean;
  /** Other tables inherit from it, and it is no partitioned one. */
  readonly hasChildren: boolean;
  /** Keys of the tables that it inherits from, where its own is another one. */
  readonly ancestorKeys: readonly (readonly string[])[];
  readonly checks: readonly Check[];
  readonly uniques: readonly Unique[];
  /** Indexes that the shadow can have, too; the signature does not tell of them. */
  readonly indexes: readonly Index[];
  /** Foreign keys in which this table is the child. */
  readonly references: readonly ForeignKey[];
  /** Foreign keys in which this table is the parent. */
  readonly referencedBy: readonly ForeignKey[];
  /** A partitioned table, behind its partitions, and these behind theirs; none for ordinary tables. */
  readonly partitions: readonly Partition[];
  /** Columns that decide which partition takes a row. */
  readonly partitionColumns: readonly string[];
  /** Row-level security policies; null when it is not enabled. */
  readonly policies: readonly Policy[] | null;
  /** Why the table cannot be staged, or null. */
  readonly obstacle: string | null;
  /** Changes whenever anything of the above changes, but for indexes that enforce nothing. */
  readonly signature: string;
}

/** The name shown to users: bare in schema public, else `schema.table`. No two tables show the same. */
export function shownName(schema: string, name: string): string {
  return (schema === 'public' ? [name] : [schema, name]).map(shownPart).join('.');
}

/** A part with a dot in it could pass for two. */
function shownPart(part: string): string {
  return /[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part;
}

/** The shown name of a table that somebody wrote: as it is shown, or quoted as SQL has it. */
export function shownAs(written: string): string {
  const parts = shownParts(written);
  const [schema = '', name = schema] = parts.length === 1 ? ['public', ...parts] : parts;
  return parts.length > 2 ? written : shownName(schema, name);
}

/** The way back from shownName: the table's name alone, or behind its schema. */
export function shownParts(shown: string): string[] {
  const parts = shown.match(/"(?:[^"]|"")*"|[^."]+/g) ?? [];
  return parts.map((part) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part,
  );
}
