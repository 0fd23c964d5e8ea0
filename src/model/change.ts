/** A session's changes in three forms: statements, net row changes, and conflicts with production. */
import type { JsonText } from './json.ts';

export const operations = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type Operation = (typeof operations)[number];

/**
 * Marks content that exists but is withheld from the caller, because a role that staged in the session may not read the table.
 * Absent if nothing is withheld.
 */
export type Hidden = true;

/** The changes of one statement to one table by one operation. */
export interface Mutation {
  /** `mut_` and a number that grows with time. */
  readonly id: string;
  readonly type: Operation;
  /** Bare for schema public, else `schema.table`. */
  readonly table: string;
  /** Null if it is hidden. */
  readonly query: string | null;
  /** JSON array of the bound parameters in order; null if they are hidden. */
  readonly params: JsonText | null;
  readonly affectedRows: number;
  readonly executedAt: string;
  /** The database role that staged it; null if unknown. */
  readonly role: string | null;
  /** The role that logged in, if SET ROLE had changed the role; else null. */
  readonly login: string | null;
  /** The same for all mutations of one statement, which may write to several tables; null if the daemon does not send it. */
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
  /** PostgreSQL's text of values whose JSON is ambiguous: `{"after": {"column": "null"}}`. */
  readonly texts?: JsonText;
}

export const origins = ['client', 'foreign_key', 'trigger'] as const;

/** A statement that made a change, directly, through a foreign key action, or through a trigger. */
export interface Cause {
  readonly mutationId: string;
  /** Null if it is no longer known, because the session was approved. */
  readonly origin: (typeof origins)[number] | null;
  /** Names of the foreign keys that may have led from the statement's table to the row's table. */
  readonly foreignKeys: readonly string[];
  /** Name of the trigger that wrote the row. Approval leaves the row to production's trigger. */
  readonly trigger?: string;
}

/** A change with its position in the diff of its table. */
export interface NumberedChange extends Change {
  /** Grows along the diff; a whole number as text, because it may exceed 2^53. */
  readonly number: string;
  /** The statements that made it, oldest first; absent if not requested. */
  readonly why?: readonly Cause[];
}

/** One of the row changes that approval replays, also if it is not part of the net change. */
export interface Step extends Change {
  /** Its position; grows in the order of the replay. */
  readonly number: string;
  /** Its mutation. A foreign key action belongs to the mutation that caused it. */
  readonly mutationId: string;
  /** The same for all steps of one statement; null if unknown. */
  readonly statement: string | null;
}

/** Number of net changes by operation. */
export interface NetCounts {
  readonly inserts: number;
  readonly updates: number;
  readonly deletes: number;
}

/** Adds up the counts of several tables, or of several parts of one. */
export function sumOf(counts: readonly NetCounts[]): NetCounts {
  const add = (field: keyof NetCounts) => counts.reduce((sum, entry) => sum + entry[field], 0);
  return { inserts: add('inserts'), updates: add('updates'), deletes: add('deletes') };
}

/** Returns the number of net changes, of one operation or of all. */
export function changesIn(counts: NetCounts, operation?: Operation): number {
  const { inserts, updates, deletes } = counts;
  const byOperation = { INSERT: inserts, UPDATE: updates, DELETE: deletes };
  return operation === undefined ? inserts + updates + deletes : byOperation[operation];
}

/** Number of net changes, and of further changes that approval replays: rows changed again, or back to what they were. */
export interface StepCounts extends NetCounts {
  readonly furtherChanges: number;
}

/** Adds up the counts of several tables, including further changes. */
export function stepSumOf(counts: readonly StepCounts[]): StepCounts {
  const furtherChanges = counts.reduce((sum, entry) => sum + entry.furtherChanges, 0);
  return { ...sumOf(counts), furtherChanges };
}

/** The counts of one table. */
export interface ChangeCounts extends StepCounts {
  readonly table: string;
  readonly hidden?: Hidden;
}

/** A section of a table's diff: the number of its changes by operation, and the change that it follows. */
export interface Chunk extends NetCounts {
  /** Number of the last change before it; `0` for the first. */
  readonly after: string;
}

export interface OutlineColumn {
  readonly name: string;
  readonly type: string;
  /** Whether the column is generated, so that nobody can write it. */
  readonly generated: boolean;
}

/** A trigger of production that runs when staged changes are applied. */
export interface Trigger {
  readonly name: string;
  readonly timing: 'BEFORE' | 'AFTER';
  /** The operations of staged changes that fire it. */
  readonly events: readonly Operation[];
  /** Why it has not fired while rows were staged, as the end of "trigger ..."; null where it has. */
  readonly unstaged: string | null;
}

/** A table of a diff without its changes: enough to show counts and to find any page of it. */
export interface TableOutline {
  readonly table: string;
  /** Columns of the key in order. */
  readonly key: readonly string[];
  /** The table's columns in order, as they are now. */
  readonly columns: readonly OutlineColumn[];
  readonly chunks: readonly Chunk[];
  /** Number of changes that approval replays in addition to the net ones. */
  readonly furtherChanges: number;
  readonly triggers: readonly Trigger[];
  /** Whether other tables inherit from it, so that its name includes their rows. */
  readonly hasChildren?: true;
  /** Whether it has a foreign key to itself that cannot be deferred. */
  readonly referencesItself?: true;
  readonly hidden?: Hidden;
}

/** Adds up the counts of the tables of a diff. */
export function stepCountsOf(tables: readonly TableOutline[]): StepCounts {
  return stepSumOf(
    tables.map(({ chunks, furtherChanges }) => ({ ...sumOf(chunks), furtherChanges })),
  );
}

/** A diff without its changes. */
export interface Outline {
  /** Differs whenever the diff may have changed. */
  readonly revision: string;
  readonly tables: readonly TableOutline[];
}

/** The longest list that is sorted: each page sorts all of its changes. */
export const mostSorted = 10_000;

/** Some changes of one table, in the order that was asked for. */
export interface ChangePage {
  readonly revision: string;
  readonly changes: readonly NumberedChange[];
  /** Cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
  /** The mutations that the causes of the changes refer to. */
  readonly mutations?: readonly Mutation[];
  readonly hidden?: Hidden;
}

/** Kinds of conflicts. `changed` and `gone`: production's row changed; the others: something else prevents the approval. */
export const conflictKinds = ['changed', 'gone', 'key_exists', 'cascade', 'schema'] as const;
export type ConflictKind = (typeof conflictKinds)[number];

/** A difference between production's row now and as the session saw it, one entry per column. */
export interface Conflict {
  readonly table: string;
  readonly rowId: JsonText;
  /** The column; null if the whole row is in conflict (a key that now exists, rows nobody reviewed). */
  readonly field: string | null;
  readonly kind: ConflictKind;
  readonly sessionBase: JsonText | null;
  readonly sessionNew: JsonText | null;
  readonly productionCurrent: JsonText | null;
  /** Whether it is only reported, and does not prevent approval: the configuration ignores changes of its column. */
  readonly ignored?: true;
  /** Whether the session deletes the row, so that there is no new value. */
  readonly sessionDeletes?: true;
  /** The change of the table itself, in words; absent for conflicts between values. */
  readonly reason?: string;
  /** Like the `texts` of a change, under `session_base`, `session_new` and `production_current`. */
  readonly texts?: JsonText;
  readonly hidden?: Hidden;
}

/** One applied row change in the append-only audit. */
export interface AuditEntry {
  /** `aud_` and a number. */
  readonly id: string;
  readonly sessionId: string;
  readonly projectId: string;
  readonly tableName: string;
  readonly operation: Operation;
  /** The key as text, composite keys as `a,b` in key order; null if it is hidden. */
  readonly rowId: string | null;
  readonly oldData: JsonText | null;
  readonly newData: JsonText | null;
  /** Like the `texts` of a change, under `old_data` and `new_data`. */
  readonly texts?: JsonText;
  /** The staged values of columns that production's triggers set to other values: `{"column": value}`. */
  readonly staged?: JsonText;
  readonly approvedAt: string;
  readonly approvedBy: string | null;
  /** Name of the token used; null if no token was required. */
  readonly approvedAs: string | null;
  /** The session that the entry's session was split from. */
  readonly splitFrom: string | null;
  readonly hidden?: Hidden;
}
