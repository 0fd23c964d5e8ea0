/** A session's changes in two forms: statements and net row changes. */
import { JsonText } from './json.ts';
import type { Noun } from './shape.ts';
import {
  count,
  flag,
  json,
  list,
  mark,
  named,
  noun,
  optional,
  orNull,
  otherwise,
  shape,
  text,
  time,
  tuple,
  word,
} from './shape.ts';

export const operations = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type Operation = (typeof operations)[number];

/**
 * Marks content that exists but is withheld from the caller, because a role that staged in the session may not read the table.
 * Absent if nothing is withheld.
 */
export type Hidden = true;

/** See `Hidden`. */
export const hidden = mark(
  "Replaces a change of which an author's token learns only that it exists: a database role that staged in the session may not read the table",
);

/** PostgreSQL's texts of values whose JSON is ambiguous. */
export const texts = optional(json('texts'));

/** A whole number as text, because it may exceed 2^53. */
const changeNumber = (description: string) => text(description, /^\d+$/);

/** The changes of one statement to one table by one operation. */
export const mutationShape = shape(
  {
    id: text('`mut_` and a number that grows with time', /^mut_/),
    type: word(operations),
    table: text('Bare for schema public, else `schema.table`'),
    query: orNull(text('null if it is hidden')),
    params: orNull(json('list', 'The bound parameters in order; null if they are hidden')),
    affectedRows: count(),
    settings: optional(
      json(
        'object',
        'The settings of the application that the statement had, by name, if code of the database reads some: approval sets them for triggers',
      ),
    ),
    executedAt: time(),
    role: orNull(text('Database role that staged it; null if unknown')),
    login: orNull(
      text('Database role that logged in, if SET ROLE had changed the role; else null'),
    ),
    statement: otherwise(
      text(
        'The same for all mutations of one statement, which may write to several tables',
        /^\d+$/,
      ),
      null,
    ),
    hidden,
  },
  'Mutation',
);

export type Mutation = Noun<typeof mutationShape>;

/** The net change of one row. The table is not a member of its JSON, but of the object or the list around it. */
export const changeShape = shape(
  {
    type: word(operations),
    rowId: otherwise(json('key'), new JsonText('null')),
    before: orNull(json('row', 'The row before; null for INSERT')),
    after: orNull(json('row', 'The row after; null for DELETE')),
    texts,
  },
  'Change',
);

export type Change = Noun<typeof changeShape> & { readonly table: string };

const origins = ['client', 'foreign_key', 'trigger'] as const;

/** A statement that made a change, directly, through a foreign key action, or through a trigger. */
const causeShape = shape({
  mutationId: named('mutation', text(undefined, /^mut_/)),
  origin: orNull(
    word(origins, 'What led from the statement to the row; null if the session was approved'),
  ),
  foreignKeys: list(text(), 'Foreign keys that may have carried the statement to this table'),
  trigger: optional(text('The trigger that wrote the row; approval leaves the row to it')),
});

export type Cause = Noun<typeof causeShape>;

/** A change with its position in the diff of its table. */
const numberedChangeShape = shape({
  number: changeNumber('Position of the change; grows along the diff of its table'),
  ...changeShape.members,
  why: optional(
    list(
      noun(causeShape),
      'With why=true: the statements that made the change, oldest first, at most the last 100',
    ),
  ),
});

export type NumberedChange = Noun<typeof numberedChangeShape> & { readonly table: string };

/** One of the row changes that approval replays, also if it is not part of the net change. */
export const stepShape = shape(
  {
    table: text(),
    mutationId: text(
      'Its mutation. A foreign key action belongs to the mutation that caused it',
      /^mut_/,
    ),
    statement: orNull(text('The same for all steps of one statement; null if unknown')),
    ...changeShape.members,
  },
  'Step',
);

/** A step with its position. */
export const numberedStepShape = shape({
  number: text('Position of the step; grows in the order of the replay', /^\d+\.\d+$/),
  ...stepShape.members,
});

export type Step = Noun<typeof numberedStepShape>;

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

const netCounts = { inserts: count(), updates: count(), deletes: count() };

const furtherChanges = count(
  'Row changes that approval replays in addition to the net ones: of rows that change again, or end as they began',
);

/** A section of a table's diff: the number of its changes by operation, and the change that it follows. */
const chunkShape = shape({
  after: changeNumber('Number of the last change before it; 0 for the first'),
  ...netCounts,
});

export type Chunk = Noun<typeof chunkShape>;

const columnShape = shape({
  name: text(),
  type: text(),
  generated: flag('Whether the column is generated, so that nobody can write it'),
});

export type OutlineColumn = Noun<typeof columnShape>;

/** A trigger of production that runs when staged changes are applied. */
const triggerShape = shape({
  name: text(),
  timing: word(['BEFORE', 'AFTER'] as const),
  events: list(word(operations), 'The operations of staged changes that fire it'),
  unstaged: orNull(
    text(
      'Why it has not fired while rows were staged, so that the changes do not show what it does, as the end of "trigger ..."; null if it has',
    ),
  ),
});

export type Trigger = Noun<typeof triggerShape>;

const tableColumns = list(noun(columnShape), "The table's columns in order, as they are now");

const tableTriggers = list(
  noun(triggerShape),
  'Triggers of production that run at approval, and for which kinds of staged changes',
);

/** A table of a diff with its counts, before its changes. */
export const tableDiffShape = shape({
  ...netCounts,
  furtherChanges,
  hidden,
  columns: tableColumns,
  triggers: tableTriggers,
});

/** A table of a diff without its changes: enough to show counts and to find any page of it. */
export const tableOutlineShape = shape({
  ...netCounts,
  furtherChanges,
  key: list(text(), 'Columns of the key in order'),
  columns: tableColumns,
  triggers: tableTriggers,
  hasChildren: mark(
    'Whether other tables inherit from it, so that its name includes their rows: ONLY its own are meant',
  ),
  referencesItself: mark('Whether it has a foreign key to itself that cannot be deferred'),
  chunks: list(
    tuple(chunkShape),
    'Runs of 500 changes: the cursor each begins at, its inserts, updates and deletes',
  ),
  hidden,
});

export type TableOutline = Omit<Noun<typeof tableOutlineShape>, keyof NetCounts> & {
  readonly table: string;
};

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
export const changePageShape = shape({
  revision: text('Differs whenever the diff may have changed'),
  table: text(),
  changes: list(noun(numberedChangeShape)),
  mutations: optional(
    list(
      noun(mutationShape),
      'With why=true: the mutations that the causes of the changes refer to',
    ),
  ),
  nextCursor: orNull(changeNumber('Cursor of the next page; null on the last page')),
  hidden,
});

export type ChangePage = Omit<Noun<typeof changePageShape>, 'table' | 'changes'> & {
  readonly changes: readonly NumberedChange[];
};
