/** What a session changed, seen three ways: the statement, the net row change, the conflict with production. */
import type { JsonText } from './json.ts';

export const operations = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type Operation = (typeof operations)[number];

/**
 * Stands where the caller is told that there is something, but not what: a role that staged in the session may not read the
 * table. Left out where all is told.
 */
export type Hidden = true;

/** One staged statement on one table. */
export interface Mutation {
  /** `mut_` and a number that grows with time. */
  readonly id: string;
  readonly type: Operation;
  /** Bare for schema public, else `schema.table`. */
  readonly table: string;
  /** Null where it is hidden. */
  readonly query: string | null;
  /** JSON array of the bound parameters in order; null where they are hidden. */
  readonly params: JsonText | null;
  readonly affectedRows: number;
  readonly executedAt: string;
  /** The database role that staged it; null where that is not known. */
  readonly role: string | null;
  /** The one that logged in, where it set another one by SET ROLE; else null. */
  readonly login: string | null;
  /** The same for all mutations of one statement, which may write to several tables; null of a daemon that does not tell it. */
  readonly statement: string | null;
  readonly hidden?: Hidden;
}

/** The net change of one row. */
export interface Change {
  readonly table: string;
  readonly type: Operation;
  /** The key's JSON value, or an object of column and value for a composite key. */
  readonly rowId: JsonText;
  /** Full row as a JSON object; null for INSERT. */
  readonly before: JsonText | null;
  /** Full row as a JSON object; null for DELETE. */
  readonly after: JsonText | null;
  /** PostgreSQL's own texts of values that the JSON of the rows does not tell from others: `{"after": {"column": "null"}}`. */
  readonly texts?: JsonText;
}

/** A statement that made a change, by itself or through the action of a foreign key. */
export interface Cause {
  readonly mutationId: string;
  /** Null where it is not known any more: the session was approved. */
  readonly origin: 'client' | 'foreign_key' | null;
  /** Names of the foreign keys that led from what the statement changed to this row's table; more than one may have. */
  readonly foreignKeys: readonly string[];
}

/** A change and its place in its table's diff. */
export interface NumberedChange extends Change {
  /** Grows along the diff; whole number as text, for it may exceed 2^53. */
  readonly number: string;
  /** What made it, oldest first; left out where nobody asked. */
  readonly why?: readonly Cause[];
}

/** One of the row changes that approval replays, whatever it comes to. */
export interface Step extends Change {
  /** Its place; grows along the way of approval. */
  readonly number: string;
  /** The mutation that it is a part of; foreign keys' actions belong to the one that caused them. */
  readonly mutationId: string;
  /** The same for all steps of one statement; null where that is not known. */
  readonly statement: string | null;
}

/** Number of net changes of each kind. */
export interface NetCounts {
  readonly inserts: number;
  readonly updates: number;
  readonly deletes: number;
}

/** Counts of several tables, or of several parts of one, taken together. */
export function sumOf(counts: readonly NetCounts[]): NetCounts {
  const add = (field: keyof NetCounts) => counts.reduce((sum, entry) => sum + entry[field], 0);
  return { inserts: add('inserts'), updates: add('updates'), deletes: add('deletes') };
}

/** Number of net changes, and of those that approval replays beside them: rows changed again, or back to what they were. */
export interface StepCounts extends NetCounts {
  readonly furtherChanges: number;
}

/** Counts of several tables with what is replayed beside the net changes, taken together. */
export function stepSumOf(counts: readonly StepCounts[]): StepCounts {
  const furtherChanges = counts.reduce((sum, entry) => sum + entry.furtherChanges, 0);
  return { ...sumOf(counts), furtherChanges };
}

/** The counts of one table. */
export interface ChangeCounts extends StepCounts {
  readonly table: string;
  readonly hidden?: Hidden;
}

/** A stretch of a table's diff: what it begins behind, and how many changes of each kind it has. */
export interface Chunk extends NetCounts {
  /** Number of the last change before it; `0` for the first. */
  readonly after: string;
}

export interface OutlineColumn {
  readonly name: string;
  readonly type: string;
  /** Its value follows from the others': nobody can write it. */
  readonly generated: boolean;
}

/** A trigger of production that runs when what was staged is applied. */
export interface Trigger {
  readonly name: string;
  readonly timing: 'BEFORE' | 'AFTER';
  /** The kinds of staged changes that it runs for. */
  readonly events: readonly Operation[];
}

/** A table of a diff without its changes: enough to show counts and to find any page of it. */
export interface TableOutline {
  readonly table: string;
  /** Columns of the key in order. */
  readonly key: readonly string[];
  /** The table's columns in order, as they are now. */
  readonly columns: readonly OutlineColumn[];
  readonly chunks: readonly Chunk[];
  /** How many changes approval replays beside the net ones. */
  readonly furtherChanges: number;
  readonly triggers: readonly Trigger[];
  /** Its name stands for the rows of other tables, too, which inherit from it. */
  readonly hasChildren?: true;
  /** A foreign key leads from it to itself, and cannot be deferred. */
  readonly referencesItself?: true;
  readonly hidden?: Hidden;
}

/** The counts of tables of a diff, taken together. */
export function stepCountsOf(tables: readonly TableOutline[]): StepCounts {
  return stepSumOf(
    tables.map(({ chunks, furtherChanges }) => ({ ...sumOf(chunks), furtherChanges })),
  );
}

/** A diff without its changes. */
export interface Outline {
  /** Changes whenever the diff may have changed. */
  readonly revision: string;
  readonly tables: readonly TableOutline[];
}

/** Some changes of one table, in the order of the diff. */
export interface ChangePage {
  readonly revision: string;
  readonly changes: readonly NumberedChange[];
  /** Where to read on; null at the end. */
  readonly nextCursor: string | null;
  /** The statements that its changes name as their causes. */
  readonly mutations?: readonly Mutation[];
  readonly hidden?: Hidden;
}

/** What kinds of conflicts there are; `changed` and `gone` are rows that moved, the rest say what stands in the way. */
export const conflictKinds = ['changed', 'gone', 'key_exists', 'cascade', 'schema'] as const;
export type ConflictKind = (typeof conflictKinds)[number];

/** A production row that is no longer what the session saw, one entry a column. */
export interface Conflict {
  readonly table: string;
  readonly rowId: JsonText;
  /** The column, or null where the whole row is in conflict (a key that now exists, rows nobody reviewed). */
  readonly field: string | null;
  readonly kind: ConflictKind;
  readonly sessionBase: JsonText | null;
  readonly sessionNew: JsonText | null;
  readonly productionCurrent: JsonText | null;
  /** It is told, but stands in the way of nothing: the configuration has its column not count. */
  readonly ignored?: true;
  /** Stands there where the session deletes the row: it has no new value. */
  readonly sessionDeletes?: true;
  /** What has changed of the table itself, in words; left out of conflicts between values. */
  readonly reason?: string;
  /** As those of a change, under `session_base`, `session_new` and `production_current`. */
  readonly texts?: JsonText;
  readonly hidden?: Hidden;
}

/** One applied row change, as it stands in the append-only audit. */
export interface AuditEntry {
  /** `aud_` and a number. */
  readonly id: string;
  readonly sessionId: string;
  readonly projectId: string;
  readonly tableName: string;
  readonly operation: Operation;
  /** The key rendered as text, composite keys as `a,b` in key order; null where it is hidden. */
  readonly rowId: string | null;
  readonly oldData: JsonText | null;
  readonly newData: JsonText | null;
  /** As those of a change, under `old_data` and `new_data`. */
  readonly texts?: JsonText;
  readonly approvedAt: string;
  readonly approvedBy: string | null;
  /** Name of the token that was shown; null where nobody had to show one. */
  readonly approvedAs: string | null;
  readonly hidden?: Hidden;
}
