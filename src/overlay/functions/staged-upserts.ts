/** Runs INSERT ... ON CONFLICT of a copy on the view for it. The clause is passed to that view before each run of the statement. */
import type { Queryable } from '../../db/database.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import type { BodyReplacement, BodyUpsert } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import { inferArbiters } from '../../sql/locate/arbiters.ts';
import { isWithin } from '../../sql/splice.ts';
import { upsertName } from '../object-names.ts';
import { Obstacle } from './function-script.ts';
import { targetNamed } from './named-table.ts';
import type { Lookup } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
}

/**
 * Returns the replacements of a body with those of its ON CONFLICT clauses.
 * @param replacements the others: their targets are overlays
 * @throws Obstacle for a clause that cannot be followed
 */
export async function withUpserts(
  { tx, path }: Context,
  { upserts, relations, qualifiers }: BodyUses,
  replacements: readonly BodyReplacement[],
): Promise<BodyReplacement[]> {
  let made = [...replacements];
  for (const upsert of upserts) {
    const use = relations.find(({ start }) => start === upsert.target);
    if (!use) throw new Obstacle('cannot be followed');
    const table = await targetNamed(tx, use, path);
    const isReplaced = made.some((each) => isWithin(each, upsert.clause));
    // guard: calls and qualified names of an ON CONFLICT clause are replaced
    if (isReplaced || qualifiers.some(({ name }) => name === use.name))
      throw new Obstacle('has an ON CONFLICT clause that cannot be followed');
    const { start, end } = upsert.clause;
    made = [
      ...made.filter((each) => each.start !== use.start),
      { start: use.start, end: use.end, text: upsertName(table) },
      { start, end, text: ' ' },
      { ...upsert.first, call: callFor(table, upsert) },
    ];
  }
  return made;
}

/** Returns the call that passes a clause, with the present values of the function's variables, to the view. */
function callFor(table: Table, upsert: BodyUpsert): string {
  const { alias, set, where, captured, bare } = upsert;
  // guard: a name that may be a column is not taken for a variable
  const column = bare.find((name) => table.columns.some((each) => each.name === name));
  if (column !== undefined) throw new Obstacle(`names ${column} without a table in ON CONFLICT`);
  const arbiters = arbitersOf(table, upsert);
  const conflict = {
    ...{ action: set === null ? 'nothing' : 'update', alias },
    ...(arbiters !== null && { arbiters }),
    ...(set !== null && { set }),
    ...(where !== null && { where }),
  };
  const values = captured.map((each) => `stage.captured(${each})`).join(', ');
  return `stage.begin_conflict(${table.oid}, ${quoteLiteral(JSON.stringify(conflict))}, ARRAY[${values}]::pg_catalog.text[])`;
}

/** Returns the names of the indexes that count; null for all. @throws Obstacle if they cannot be inferred */
function arbitersOf(table: Table, { arbiter, set }: BodyUpsert): readonly string[] | null {
  const names = inferArbiters(arbiter, table.uniques);
  const isExclusion = table.uniques.some(
    ({ name, kind }) => kind === 'exclusion' && names?.includes(name) === true,
  );
  // guard: rows conflict in a copy where they do in PostgreSQL
  if (names?.length === 0 || (set !== null && isExclusion))
    throw new Obstacle(
      `has an ON CONFLICT clause for no index of ${shownName(table.schema, table.name)}`,
    );
  return names;
}
