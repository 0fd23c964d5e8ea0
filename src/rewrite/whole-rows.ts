/** Gives functions that take rows of a table such rows: those of the view that replaces the table have another type. */
import { qualifiedName, quoteIdentifier } from '../identifier.ts';
import { columnList } from '../overlay/object-names.ts';
import type { WholeRow } from '../sql/locate/whole-rows.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import { isWithin } from '../sql/splice.ts';
import { systemColumns } from '../sql/system-columns.ts';
import type { Write } from '../sql/write.ts';
import type { FunctionNames } from './function-names.ts';
import type { Rewrite } from './rewritten.ts';
import type { Named } from './stageable.ts';

/** A whole row of a table that a view replaces. */
interface ReplacedRow extends WholeRow {
  readonly named: Named;
}

/**
 * Adds the replacements of whole rows that functions take to those of a statement.
 * @returns also whether the result lasts: a function that is created later may take rows
 */
export async function withRows(
  others: readonly Replacement[],
  body: Read | Write,
  named: readonly Named[],
  functions: Pick<FunctionNames, 'takeRows'>,
): Promise<Pick<Rewrite, 'replacements' | 'isLasting'>> {
  const rows = replacedRows(body, named);
  if (rows.length === 0) return { replacements: others, isLasting: true };
  const taken = await functions.takeRows(rows.map(({ taker }) => taker));
  const whole = rows
    .filter((_, index) => taken[index])
    .map((row) => ({ start: row.start, end: row.end, text: rowOf(row) }));
  // the schema of a table is replaced with the whole row that it qualifies
  const isQualifier = (each: Replacement) =>
    each.end > each.start && whole.some((row) => isWithin(each, row));
  const outside = others.filter((each) => !isQualifier(each));
  return { replacements: [...outside, ...whole], isLasting: false };
}

function replacedRows(body: Read | Write, named: readonly Named[]): ReplacedRow[] {
  if (body.kind === 'write' && body.form !== 'query') return [];
  // MERGE and ON CONFLICT evaluate their parts elsewhere
  const apart = body.kind === 'write' ? body.upserts.map(({ clause }) => clause) : [];
  if (body.kind === 'write' && body.merges.length > 0) return [];
  return body.wholeRows.flatMap((row) => {
    const table = named.find(({ use }) => use.start === row.relation);
    if (!table || table.meaning.standIn.view === null) return [];
    if (apart.some((clause) => isWithin(row, clause)) || mayBeColumn(row, table, named)) return [];
    return [{ ...row, named: table }];
  });
}

/** Returns whether a name may be that of a column. The columns of a view are not known. */
function mayBeColumn({ unless, alias, taker }: WholeRow, table: Named, named: readonly Named[]) {
  const has = ({ meaning: { columns } }: Named, name: string) =>
    columns.length === 0 || columns.some((column) => column.name === name);
  // guard: a column is not taken for a whole row
  if (unless === 'any column' && named.some((each) => has(each, alias))) return true;
  if (unless === 'its column' && systemColumns.has(taker.name)) return true;
  return has(table, unless === 'its column' ? taker.name : '');
}

/** Builds the row in the table's own type. A row that an outer join lacks is null. */
function rowOf({ alias, isNullable, named: { use, meaning } }: ReplacedRow): string {
  const name = quoteIdentifier(alias);
  const names = meaning.columns.map((column) => column.name);
  const type = qualifiedName(meaning.schema ?? '', use.name);
  const row = `ROW(${columnList(names, `${name}.`)})::${type}`;
  const isTarget = use.target !== null;
  return isNullable && !isTarget
    ? `(CASE WHEN ${name}.* IS DISTINCT FROM NULL THEN ${row} END)`
    : `(${row})`;
}
