/** Passes the columns that an UPDATE of a copy sets to the triggers of its table: some fire for certain columns only. */
import type { Queryable } from '../../db/database.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { BodyReplacement, FirstWord } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import { waitsForColumns } from '../triggers/candidates.ts';
import { Obstacle } from './function-script.ts';
import { targetNamed } from './named-table.ts';
import type { Lookup } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
}

/** The columns that a statement sets in a table; null if they are not known. */
interface SetColumns {
  readonly first: FirstWord;
  readonly table: number;
  readonly columns: readonly string[] | null;
}

/**
 * Returns the replacements of a body with the calls that precede its UPDATE statements.
 * @param replacements the others: calls that precede the same statement become one
 * @throws Obstacle for a statement that cannot be followed
 */
export async function withSetColumns(
  { tx, path }: Context,
  { updates, relations }: BodyUses,
  replacements: readonly BodyReplacement[],
): Promise<BodyReplacement[]> {
  const sets = new Map<string, SetColumns>();
  for (const { target, columns, first } of updates) {
    const use = relations.find(({ start }) => start === target);
    if (!use) throw new Obstacle('cannot be followed');
    const table = await targetNamed(tx, use, path);
    if (!waitsForColumns(table)) continue;
    const key = `${first.start} ${table.oid}`;
    const others = sets.get(key)?.columns;
    sets.set(key, { first, table: table.oid, columns: both(others, columns) });
  }
  return [...sets.values()].reduce(withCall, [...replacements]);
}

/** Returns the columns of two parts of a statement. */
const both = (
  others: SetColumns['columns'] | undefined,
  columns: SetColumns['columns'],
): SetColumns['columns'] =>
  others === null || columns === null ? null : [...new Set([...(others ?? []), ...columns])];

/** Returns the replacements with the call for a statement. */
function withCall(
  replacements: BodyReplacement[],
  { first, table, columns }: SetColumns,
): BodyReplacement[] {
  const shown = columns === null ? 'NULL' : quoteLiteral(JSON.stringify(columns));
  const own = `stage.begin_columns(${table}, ${shown})`;
  const isSame = ({ start, call }: BodyReplacement) => start === first.start && call !== undefined;
  const other = replacements.find(isSame);
  const call = other === undefined ? own : `${other.call} AND ${own}`;
  const isFixed = other?.isFixed ?? true;
  return [...replacements.filter((each) => !isSame(each)), { ...first, call, isFixed }];
}
