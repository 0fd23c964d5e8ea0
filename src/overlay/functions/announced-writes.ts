/**
 * Tells the triggers of a table what PostgreSQL knows of the next write of a copy: the columns that it sets, since some triggers fire for
 * certain columns only, and whether it reads the table, since policies for SELECT then apply to the rows that it writes. Checks the right to
 * what an INSERT returns.
 */
import type { Queryable } from '../../db/database.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import type { BodyReplacement, FirstWord } from '../../sql/functions/body-upserts.ts';
import type { BodyOperation, BodyUses } from '../../sql/functions/body-uses.ts';
import { waitsForColumns } from '../triggers/candidates.ts';
import { asWrittenBy } from './as-written-by.ts';
import { Obstacle } from './function-script.ts';
import { targetNamed } from './named-table.ts';
import type { Lookup } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
}

/** What a statement does to one table. */
interface Announced {
  readonly first: FirstWord;
  readonly table: Table;
  readonly operations: readonly BodyOperation[];
}

/**
 * Returns the replacements of a body with the calls that precede its writes.
 * @param replacements the others: calls that precede the same statement become one
 * @throws Obstacle for a statement that cannot be followed
 */
export async function withAnnouncements(
  { tx, path, role }: Context,
  { operations, relations }: BodyUses,
  replacements: readonly BodyReplacement[],
): Promise<BodyReplacement[]> {
  const found = new Map<string, Announced>();
  for (const operation of operations) {
    const { first, target } = operation;
    const use = relations.find(({ start }) => start === target);
    if (!use) throw new Obstacle('cannot be followed');
    const table = await asWrittenBy(tx, await targetNamed(tx, use, path), role);
    const key = `${first.start} ${table.oid}`;
    const others = found.get(key)?.operations ?? [];
    found.set(key, { first, table, operations: [...others, operation] });
  }
  return [...found.values()].reduce(withCalls, [...replacements]);
}

/** Returns the replacements with the calls for a statement. */
function withCalls(
  replacements: BodyReplacement[],
  { first, table, operations }: Announced,
): BodyReplacement[] {
  const own = [
    ...columnCalls(table, operations),
    ...readCalls(table, operations),
    ...returnCalls(table, operations),
  ];
  if (own.length === 0) return replacements;
  const isSame = ({ start, call }: BodyReplacement) => start === first.start && call !== undefined;
  const other = replacements.find(isSame);
  const calls = [...(other?.call === undefined ? [] : [other.call]), ...own];
  // guard: a call with values stays one when others join it
  const isFixed = other === undefined || other.isFixed === true;
  const call = calls.join(' AND ');
  return [...replacements.filter((each) => !isSame(each)), { ...first, call, isFixed }];
}

/** Returns the call that passes the columns that a statement sets in a table, if triggers wait for some. */
function columnCalls(table: Table, operations: readonly BodyOperation[]): string[] {
  const sets = operations.flatMap(({ operation, columns }) =>
    operation === 'UPDATE' ? [columns] : [],
  );
  if (sets.length === 0 || !waitsForColumns(table)) return [];
  const isKnown = sets.every((columns) => columns !== null);
  return [begin('set', table, isKnown ? [...new Set(sets.flat())] : null)];
}

/** Returns the call that passes the operations of a statement that also read columns of a table with policies. */
function readCalls(table: Table, operations: readonly BodyOperation[]): string[] {
  if (table.policies === null) return [];
  // a name that is no column is that of a variable
  const isColumn = (each: string) =>
    each === '*' || table.columns.some(({ name }) => name === each);
  const reading = operations.filter(({ reads }) => reads.some(isColumn));
  return [begin('reads', table, [...new Set(reading.map(({ operation }) => operation))])];
}

/** Returns the call that checks the right to read what an INSERT returns: the view lets everybody do so. */
function returnCalls({ oid }: Table, operations: readonly BodyOperation[]): string[] {
  const returning = operations.flatMap(({ returned }) =>
    returned?.length === 0 ? [] : [{ returned }],
  );
  return returning.length === 0
    ? []
    : [`stage.demand_returned(${oid}, ${quoteLiteral(JSON.stringify(returning))})`];
}

/** Builds the call that notes a fact of the next write to a table; null if it is not known. */
const begin = (fact: 'set' | 'reads', { oid }: Table, value: readonly string[] | null) =>
  `stage.begin_write('${fact}', ${oid}, ${value === null ? 'NULL' : quoteLiteral(JSON.stringify(value))})`;
