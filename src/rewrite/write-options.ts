/** Passes ON CONFLICT and OVERRIDING clauses to a staged statement's triggers, as settings for `stage.begin_statement`. */
import { StageError } from '../errors.ts';
import type { Replacement } from '../sql/splice.ts';
import { isWithin } from '../sql/splice.ts';
import type { ClausePart, QueryWrite, Upsert, Write } from '../sql/write.ts';
import type { Arbiters } from './arbiters.ts';
import type { CallReplacement } from './function-names.ts';
import type { Named } from './stageable.ts';
import { meaningAt } from './stageable.ts';
import { splicedPart } from './text-part.ts';

/**
 * Returns the settings of a write, by name.
 * @param names replacements of names in the statement, which also apply within the clauses
 * @throws StageError for a clause that cannot be staged
 */
export function writeOptions(
  write: QueryWrite,
  named: readonly Named[],
  names: readonly CallReplacement[],
  arbiters: Arbiters,
): Readonly<Record<string, string | object>> {
  const options: Record<string, string | object> = {};
  for (const { target, value } of write.overriding) {
    options[`stage.overriding_${meaningAt(named, target).table}`] = value;
  }
  Object.assign(options, setOptions(write, named), readOptions(write, named));
  for (const { target } of write.merges) {
    options[`stage.merge_${meaningAt(named, target).table}`] = 'on';
  }
  for (const upsert of write.upserts) {
    const meaning = meaningAt(named, upsert.target);
    const key = `stage.conflict_${meaning.table}`;
    if (key in options) throw twice(upsert);
    options[key] = conflictOption(upsert, named, names, arbiters.get(upsert) ?? null);
  }
  return options;
}

/** Returns the columns that the statement updates in each table with triggers that fire for updates of certain columns only. */
function setOptions({ rights }: QueryWrite, named: readonly Named[]): Record<string, string[]> {
  const options: Record<string, string[]> = {};
  for (const { target, operation, columns } of rights) {
    const { table, tableColumns, waitsForColumns } = meaningAt(named, target);
    if (operation !== 'UPDATE' || !waitsForColumns) continue;
    const set = (columns ?? []).map((name) => tableColumns?.[name] ?? name);
    options[`stage.set_${table}`] = [...(options[`stage.set_${table}`] ?? []), ...set];
  }
  return options;
}

/**
 * Returns the operations of the statement that also read columns of their table, by table with row-level security: policies for SELECT
 * apply to the rows that they write.
 */
function readOptions({ rights }: QueryWrite, named: readonly Named[]): Record<string, string[]> {
  const options: Record<string, string[]> = {};
  for (const { target, operation, reads } of rights) {
    const { table, hasPolicies } = meaningAt(named, target);
    if (!hasPolicies) continue;
    const own = reads.length > 0 ? [operation] : [];
    options[`stage.reads_${table}`] = [...(options[`stage.reads_${table}`] ?? []), ...own];
  }
  return options;
}

/** Blanks the ON CONFLICT clauses, which PostgreSQL does not accept on the views. */
export function blankConflicts({ upserts }: QueryWrite): Replacement[] {
  return upserts.map(({ clause: { start, end } }) => ({
    start,
    end,
    text: ' '.repeat(end - start),
  }));
}

function conflictOption(
  upsert: Upsert,
  named: readonly Named[],
  names: readonly CallReplacement[],
  arbiters: readonly string[] | null,
): object {
  const { alias, set, where } = upsert;
  const meaning = meaningAt(named, upsert.target);
  const reads = set === null ? null : readsOf(upsert, named, names);
  return {
    action: set === null ? 'nothing' : 'update',
    alias,
    ...(meaning.tableColumns && { view: meaning.oid }),
    ...(arbiters === null ? {} : { arbiters }),
    ...(reads === null ? {} : { reads }),
    ...(set === null ? {} : { set: spliced(set, names) }),
    ...(where === null ? {} : { where: spliced(where, names) }),
  };
}

/** Returns what the clause reads as it was before the statement: relations, and functions that are not VOLATILE; null for nothing. */
function readsOf({ clause }: Upsert, named: readonly Named[], names: readonly CallReplacement[]) {
  const relations = named.flatMap(({ use, meaning }) =>
    isWithin(use, clause) ? (meaning.oid ?? []) : [],
  );
  const functions = names.flatMap((each) => (isWithin(each, clause) ? (each.reads ?? []) : []));
  return relations.length + functions.length === 0 ? null : { relations, functions };
}

/** Returns the texts between a part's parameters, and the parameters' numbers. */
function spliced(part: ClausePart, names: readonly Replacement[]): (string | number)[] {
  const pieces: (string | number)[] = [];
  let start = part.start;
  for (const { number, ...place } of part.parameters) {
    pieces.push(splicedPart(part, names, start, place.start), number);
    start = place.end;
  }
  return [...pieces, splicedPart(part, names, start)];
}

/** Returns whether parameters occur where the view's trigger evaluates them: in a clause that is cut out of the statement. */
export function hidesParameters(write: Write): boolean {
  if (write.form !== 'query') return false;
  return write.upserts.some(({ set, where }) =>
    [set, where].some((part) => part !== null && part.parameters.length > 0),
  );
}

function twice({ alias }: Upsert): StageError {
  return new StageError(
    'statement_not_supported',
    `cannot stage two INSERT ... ON CONFLICT into "${alias}" in one statement`,
    { hint: 'Send them as two statements.' },
  );
}

/** Makes a statement fail if code that it runs writes to production. */
export function withTripwire<Made extends { readonly options: string }>(
  rewrite: Made,
): Made & { readonly hasTripwire: true } {
  const options = { ...(JSON.parse(rewrite.options) as object), 'stage.tripwire': 'on' };
  return { ...rewrite, hasTripwire: true, options: JSON.stringify(options) };
}
