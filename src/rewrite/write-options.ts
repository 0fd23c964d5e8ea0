/** What a staged statement's triggers are told besides its rows: ON CONFLICT and OVERRIDING clauses, as settings for `stage.enter`. */
import { StageError } from '../errors.ts';
import { inferArbiters } from '../sql/locate/arbiters.ts';
import { columnShape } from '../sql/locate/upserts.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Arbiter, ClausePart, QueryWrite, Right, Upsert, Write } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';
import { splicedPart } from './text-part.ts';

/**
 * Works out the settings of a write, by name.
 * @param names replacements of names in the statement, which the clauses need, too
 * @throws StageError for a clause that PostgreSQL would refuse, or that cannot be staged
 */
export function writeOptions(
  write: QueryWrite,
  named: readonly Named[],
  names: readonly Replacement[],
): Readonly<Record<string, string | object>> {
  const options: Record<string, string | object> = {};
  for (const { target, value } of write.overriding) {
    options[`stage.overriding_${meaningAt(named, target).table}`] = value;
  }
  for (const { target } of write.merges) {
    options[`stage.merge_${meaningAt(named, target).table}`] = 'on';
  }
  for (const upsert of write.upserts) {
    const meaning = meaningAt(named, upsert.target);
    const key = `stage.conflict_${meaning.table}`;
    if (key in options) throw twice(upsert);
    options[key] = conflictOption(upsert, meaning, names);
  }
  return options;
}

/** Cuts out the ON CONFLICT clauses, which the views do not know. */
export function blankConflicts({ upserts }: QueryWrite): Replacement[] {
  return upserts.map(({ clause: { start, end } }) => ({
    start,
    end,
    text: ' '.repeat(end - start),
  }));
}

/** What the relation whose name begins there stands for. */
export function meaningAt(named: readonly Named[], target: number): ResolvedName {
  const found = named.find(({ use }) => use.start === target);
  if (found === undefined) throw new Error('a clause belongs to no target');
  return found.meaning;
}

function conflictOption(
  upsert: Upsert,
  meaning: ResolvedName,
  names: readonly Replacement[],
): object {
  const { alias, arbiter, set, where } = upsert;
  const arbiters = inferArbiters(inTable(arbiter, meaning), meaning.uniques);
  if (arbiters?.length === 0) throw unclearArbiter;
  return {
    action: set === null ? 'nothing' : 'update',
    alias,
    ...(meaning.tableColumns && { view: meaning.oid }),
    ...(arbiters === null ? {} : { arbiters }),
    ...(set === null ? {} : { set: spliced(set, names) }),
    ...(where === null ? {} : { where: spliced(where, names) }),
  };
}

/** What an arbiter means in the table behind a view, whose columns may have other names there. A view has no constraints. */
function inTable(arbiter: Arbiter, { tableColumns }: ResolvedName): Arbiter {
  if (tableColumns === null || arbiter.kind === 'any') return arbiter;
  if (arbiter.kind === 'constraint') return { kind: 'index', elements: [], predicate: null };
  const shapes = new Map(
    Object.entries(tableColumns).map(([name, column]) => [columnShape(name), columnShape(column)]),
  );
  return { ...arbiter, elements: arbiter.elements.map((shape) => shapes.get(shape) ?? shape) };
}

/** The texts between a part's parameters, and the numbers of these. */
function spliced(part: ClausePart, names: readonly Replacement[]): (string | number)[] {
  const pieces: (string | number)[] = [];
  let start = part.start;
  for (const { number, ...place } of part.parameters) {
    pieces.push(splicedPart(part, names, start, place.start), number);
    start = place.end;
  }
  return [...pieces, splicedPart(part, names, start)];
}

/** Whether parameters stand where the view's trigger evaluates them: in what is cut out of the statement. */
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

/** An index that PostgreSQL might find by proving that one expression follows from another, which is beyond us. */
const isUnclear = ({ predicate, elements }: ResolvedName['uniques'][number]) =>
  predicate !== null || elements.some(({ column }) => column === null);

const unclearArbiter = new StageError(
  'statement_not_supported',
  'the proxy cannot infer the index of the ON CONFLICT specification',
  {
    hint: 'For a partial index, or an index over expressions, repeat the words of its definition.',
  },
);

/** Whether an ON CONFLICT clause of the relation is an error, which PostgreSQL tells best of the client's own text. */
export function isMistakenConflict(
  { use, meaning }: Named,
  { upserts, rights }: QueryWrite,
): boolean {
  const upsert = upserts.find(({ target }) => target === use.start);
  if (upsert === undefined) return false;
  const set = rights.filter(
    ({ target, operation }) => target === use.start && operation === 'UPDATE',
  );
  return setsUnknown(set, meaning) || fitsNothing(upsert, meaning);
}

/** It sets a column of a view that is none of the table's: the error has to name the view. */
const setsUnknown = (set: readonly Right[], { tableColumns }: ResolvedName) =>
  tableColumns !== null &&
  set.some(({ columns }) => columns?.some((name) => !(name in tableColumns)));

/** No index is meant, or one that DO UPDATE cannot use. */
function fitsNothing({ arbiter, set }: Upsert, meaning: ResolvedName): boolean {
  const { uniques } = meaning;
  const names = inferArbiters(inTable(arbiter, meaning), uniques);
  if (names?.length === 0) return arbiter.kind === 'constraint' || !uniques.some(isUnclear);
  const isExclusion = uniques.some(
    ({ name, kind }) => kind === 'exclusion' && names?.includes(name),
  );
  return set !== null && isExclusion;
}
